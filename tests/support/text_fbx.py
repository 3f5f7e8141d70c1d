# SPDX-License-Identifier: MIT
"""What FBX files in text form have in common: their head, y up in centimetres."""
SECOND = 46186158000  # of FBX time
_HEAD = '''; FBX 7.4.0 project file
FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 7400
}
GlobalSettings:  {
  Version: 1000
  Properties70:  {
    P: "UpAxis", "int", "Integer", "",1
    P: "UpAxisSign", "int", "Integer", "",1
    P: "FrontAxis", "int", "Integer", "",2
    P: "FrontAxisSign", "int", "Integer", "",1
    P: "CoordAxis", "int", "Integer", "",0
    P: "CoordAxisSign", "int", "Integer", "",1
    P: "UnitScaleFactor", "double", "Number", "",1
'''


def head(*settings):
    """The head of a file, with further lines of its global settings."""
    return _HEAD + ''.join(f'    P: {line}\n' for line in settings) + '  }\n}\n'

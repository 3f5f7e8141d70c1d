# SPDX-License-Identifier: MIT
"""Takes FBX files apart, binary and text, independently of the program under test."""
import collections
import pathlib
import re
import struct
import zlib

# Class and name are divided by these bytes in binary files, and by "::" in text, class first.
_DIVIDER = '\0\1'


class Element:
    """`exact` is the content of the file: the bytes of the values, or the text of the element up to
    its children. `values` are numbers, strings, or lists of numbers."""

    def __init__(self, name):
        self.name, self.values, self.children, self.exact = name, [], [], b''

    def all(self, name):
        return [c for c in self.children if c.name == name]

    def first(self, name):
        return next((c for c in self.children if c.name == name), None)

    def same(self, other):
        """Nothing differs, not even how a number is written."""
        return (
            (self.name, self.exact, len(self.children))
            == (other.name, other.exact, len(other.children))
        ) and all(a.same(b) for a, b in zip(self.children, other.children))


def read(path):
    """An element without a name whose children are the roots; `.version` and `.is_binary` too."""
    data = pathlib.Path(path).read_bytes()
    is_binary = data[:21] == b'Kaydara FBX Binary  \0'
    root = _Binary(data).read() if is_binary else _Text(data).read()
    root.is_binary = is_binary
    header = root.first('FBXHeaderExtension')
    version = header.first('FBXVersion') if header else None
    root.version = int(version.values[0]) if version else root.version
    return root


class _Binary:
    def __init__(self, data):
        self.data = data
        (self.version,) = struct.unpack_from('<I', data, 23)
        self.order = '>' if data[22:23] == b'\1' else '<'
        if self.order == '>':
            (self.version,) = struct.unpack_from('>I', data, 23)
        self.head = self.order + ('QQQB' if self.version >= 7500 else 'IIIB')

    def read(self):
        root = Element('')
        root.version = self.version
        at = 27
        while True:
            element, at = self.element(at)
            if element is None:
                return root
            root.children.append(element)

    def element(self, at):
        end, count, size, name_size = struct.unpack_from(self.head, self.data, at)
        at += struct.calcsize(self.head)
        if end == 0:
            return None, at
        element = Element(self.data[at : at + name_size].decode('latin-1'))
        at += name_size
        element.exact = self.data[at : at + size]
        offset = at
        for _ in range(count):
            value, offset = self.value(offset)
            element.values.append(value)
        assert offset == at + size, element.name
        at = offset
        while at < end:
            child, at = self.element(at)
            if child is None:
                break
            element.children.append(child)
        assert at == end, element.name
        return element, end

    def value(self, at):
        kind, at = chr(self.data[at]), at + 1
        single = {'C': 'b', 'B': 'b', 'Z': 'b', 'Y': 'h', 'I': 'i', 'L': 'q', 'F': 'f', 'D': 'd'}
        if kind in single:
            layout = self.order + single[kind]
            return struct.unpack_from(layout, self.data, at)[0], at + struct.calcsize(layout)
        if kind in 'SR':
            (size,) = struct.unpack_from(self.order + 'I', self.data, at)
            raw = self.data[at + 4 : at + 4 + size]
            return (raw.decode('utf-8', 'replace') if kind == 'S' else raw), at + 4 + size
        count, packed, size = struct.unpack_from(self.order + 'III', self.data, at)
        raw = self.data[at + 12 : at + 12 + size]
        if packed:
            raw = zlib.decompress(raw)
        letter = {'b': 'b', 'c': 'b', 'i': 'i', 'l': 'q', 'f': 'f', 'd': 'd'}[kind]
        return list(struct.unpack(self.order + str(count) + letter, raw)), at + 12 + size


class _Text:
    TOKEN = re.compile(rb'\s+|;[^\n]*|"[^"]*"|[{},]|[^\s{},":;]+:|[^\s{},":;]+')

    def __init__(self, data):
        self.data, self.tokens = data, []
        for match in self.TOKEN.finditer(data):
            token = match.group()
            if not token.isspace() and not token.startswith(b';'):
                self.tokens.append((token, match.start(), match.end()))
        self.at = 0

    def read(self):
        root = Element('')
        root.version = 0
        while self.at < len(self.tokens):
            root.children.append(self.element())
        return root

    def element(self):
        token, first, end = self.tokens[self.at]
        assert token.endswith(b':') and token[:1] != b'"', token
        self.at += 1
        element = Element(token[:-1].decode())
        while self.at < len(self.tokens):
            token, start, stop = self.tokens[self.at]
            if token == b'{':
                end = stop
                self.at += 1
                while self.tokens[self.at][0] != b'}':
                    element.children.append(self.element())
                self.at += 1
                break
            if token == b'}' or (token.endswith(b':') and token[:1] != b'"'):
                break
            end = stop
            self.at += 1
            if token != b',':
                element.values.append(self.value(token))
        element.exact = self.data[first:end]
        # The numbers of `*N { a: .. }` count as a value of the element.
        if len(element.values) == 1 and str(element.values[0]).startswith('*'):
            element.values = [element.first('a').values if element.first('a') else []]
        return element

    @staticmethod
    def value(token):
        if token[:1] == b'"':
            return token[1:-1].decode('utf-8', 'replace')
        text = token.decode()
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                pass
        return text


def objects(root):
    """Element by id, in file order; before version 7000 by name."""
    block = root.first('Objects')
    return {e.values[0]: e for e in block.children if e.values} if block else {}


def connections(root):
    """The values of all connections as tuples, in file order."""
    block = root.first('Connections')
    return [tuple(e.values) for e in block.children] if block else []


def type_counts(root):
    """How many objects of each type there are."""
    return collections.Counter(e.name for e in objects(root).values())


def defined_counts(root):
    """How many there are by the Definitions; '' for the number of all."""
    block = root.first('Definitions')
    counts = {t.values[0]: t.first('Count').values[0] for t in block.all('ObjectType')}
    counts[''] = block.first('Count').values[0]
    return counts

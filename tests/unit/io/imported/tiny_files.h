// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// The same thing in several text formats: a strip over two bones, the second of which bends.
namespace clipmill::test {

/// COLLADA in centimetres, z up: bones at the ground and at 90 cm, the strip 180 cm high with the
/// image strip.png; the upper bone rotates 90 degrees about x within a second.
inline std::string tinyCollada() {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_images><image id="img"><init_from>strip.png</init_from></image></library_images>
 <library_effects><effect id="fx"><profile_COMMON>
  <newparam sid="surf"><surface type="2D"><init_from>img</init_from></surface></newparam>
  <newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>
  <technique sid="common"><lambert><diffuse><texture texture="samp" texcoord="UV"/></diffuse>
  </lambert></technique></profile_COMMON></effect></library_effects>
 <library_materials><material id="mat" name="Cloth"><instance_effect url="#fx"/></material>
 </library_materials>
 <library_geometries><geometry id="geo" name="Strip"><mesh>
  <source id="pos"><float_array id="posA" count="18">
   -10 0 0 10 0 0 -10 0 90 10 0 90 -10 0 180 10 0 180</float_array><technique_common>
   <accessor source="#posA" count="6" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
  </source>
  <source id="uv"><float_array id="uvA" count="4">0 0 1 1</float_array><technique_common>
   <accessor source="#uvA" count="2" stride="2"><param name="S" type="float"/>
   <param name="T" type="float"/></accessor></technique_common></source>
  <vertices id="vtx"><input semantic="POSITION" source="#pos"/></vertices>
  <triangles material="m" count="4"><input semantic="VERTEX" source="#vtx" offset="0"/>
   <input semantic="TEXCOORD" source="#uv" offset="1" set="0"/>
   <p>0 0 1 0 2 0 2 0 1 0 3 0 2 0 3 0 4 1 4 1 3 0 5 1</p></triangles></mesh></geometry>
 </library_geometries>
 <library_controllers><controller id="ctl"><skin source="#geo">
  <bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
  <source id="jts"><Name_array id="jtsA" count="2">Lower Upper</Name_array><technique_common>
   <accessor source="#jtsA" count="2" stride="1"><param name="JOINT" type="name"/></accessor>
   </technique_common></source>
  <source id="ibm"><float_array id="ibmA" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1
   1 0 0 0 0 1 0 0 0 0 1 -90 0 0 0 1</float_array><technique_common>
   <accessor source="#ibmA" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/>
   </accessor></technique_common></source>
  <source id="wgt"><float_array id="wgtA" count="2">1 0.5</float_array><technique_common>
   <accessor source="#wgtA" count="2" stride="1"><param name="WEIGHT" type="float"/></accessor>
   </technique_common></source>
  <joints><input semantic="JOINT" source="#jts"/>
   <input semantic="INV_BIND_MATRIX" source="#ibm"/></joints>
  <vertex_weights count="6"><input semantic="JOINT" source="#jts" offset="0"/>
   <input semantic="WEIGHT" source="#wgt" offset="1"/><vcount>1 1 2 2 1 1</vcount>
   <v>0 0 0 0 0 1 1 1 0 1 1 1 1 0 1 0</v></vertex_weights></skin></controller>
 </library_controllers>
 <library_animations><animation id="anim">
  <source id="t"><float_array id="tA" count="3">0 0.5 1</float_array><technique_common>
   <accessor source="#tA" count="3" stride="1"><param name="TIME" type="float"/></accessor>
   </technique_common></source>
  <source id="v"><float_array id="vA" count="3">0 45 90</float_array><technique_common>
   <accessor source="#vA" count="3" stride="1"><param name="ANGLE" type="float"/></accessor>
   </technique_common></source>
  <source id="i"><Name_array id="iA" count="3">LINEAR LINEAR LINEAR</Name_array><technique_common>
   <accessor source="#iA" count="3" stride="1"><param name="INTERPOLATION" type="name"/></accessor>
   </technique_common></source>
  <sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#v"/>
   <input semantic="INTERPOLATION" source="#i"/></sampler>
  <channel source="#s" target="Upper/rx.ANGLE"/></animation></library_animations>
 <library_visual_scenes><visual_scene id="scene" name="Scene">
  <node id="Lower" sid="Lower" name="Lower" type="JOINT">
   <node id="Upper" sid="Upper" name="Upper" type="JOINT"><translate>0 0 90</translate>
    <rotate sid="rx">1 0 0 0</rotate></node></node>
  <node id="Body" name="Body"><instance_controller url="#ctl"><skeleton>#Lower</skeleton>
   <bind_material><technique_common><instance_material symbol="m" target="#mat">
   <bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/>
   </instance_material></technique_common></bind_material></instance_controller></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
)";
}

/// DirectX text: a strip 2 units high, the upper bone rotates 90 degrees about z in one second.
inline std::string tinyX() {
  return R"(xof 0303txt 0032
Frame Lower {
 FrameTransformMatrix { 1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,0.0,0.0,1.0;; }
 Frame Upper {
  FrameTransformMatrix { 1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,1.0,0.0,1.0;; }
 }
 Mesh Strip {
  4;
  -0.1;0.0;0.0;, 0.1;0.0;0.0;, -0.1;2.0;0.0;, 0.1;2.0;0.0;;
  2;
  3;0,2,1;, 3;1,2,3;;
  XSkinMeshHeader { 1; 1; 2; }
  SkinWeights { "Lower"; 2; 0,1; 1.0,1.0;
   1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,0.0,0.0,1.0;; }
  SkinWeights { "Upper"; 2; 2,3; 1.0,1.0;
   1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,-1.0,0.0,1.0;; }
 }
}
AnimTicksPerSecond { 100; }
AnimationSet Bend {
 Animation {
  { Upper }
  AnimationKey { 0; 2; 0;4;1.0,0.0,0.0,0.0;;, 100;4;0.70710678,0.0,0.0,0.70710678;;; }
 }
}
)";
}

/// Valve's text: a triangle over two bones, 70 inches high, z up; five frames.
inline std::string tinySmd() {
  std::string text = "version 1\nnodes\n0 \"Lower\" -1\n1 \"Upper\" 0\nend\nskeleton\n";
  for (int frame = 0; frame < 5; ++frame) {
    text += "time " + std::to_string(frame) + "\n0 0 0 0 0 0 0\n1 0 0 35 " +
            std::to_string(frame * 0.25) + " 0 0\n";
  }
  return text +
         "end\ntriangles\nskin\n0 -5 0 0 0 1 0 0 0 1 0 1.0\n0 5 0 0 0 1 0 1 0 1 0 1.0\n"
         "1 0 0 70 0 1 0 0.5 1 1 1 1.0\nend\n";
}

/// id Software's pair of files: a triangle over two joints, 70 units high, z up; three frames at
/// 24 Hz, in which the upper joint rotates 180 degrees about z.
inline std::string tinyMd5Mesh() {
  return "MD5Version 10\ncommandline \"\"\n\nnumJoints 2\nnumMeshes 1\n\njoints {\n"
         "\t\"Lower\"\t-1 ( 0 0 0 ) ( 0 0 0 )\n\t\"Upper\"\t0 ( 0 0 35 ) ( 0 0 0 )\n}\n\nmesh {\n"
         "\tshader \"skin\"\n\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 1 0 ) 1 1\n"
         "\tvert 2 ( 0.5 1 ) 2 1\n\n\tnumtris 1\n\ttri 0 0 1 2\n\n\tnumweights 3\n"
         "\tweight 0 0 1 ( -5 0 0 )\n\tweight 1 0 1 ( 5 0 0 )\n\tweight 2 1 1 ( 0 0 35 )\n}\n";
}
inline std::string tinyMd5Anim() {
  std::string text =
      "MD5Version 10\ncommandline \"\"\n\nnumFrames 3\nnumJoints 2\nframeRate 24\n"
      "numAnimatedComponents 1\n\nhierarchy {\n\t\"Lower\"\t-1 0 0\n\t\"Upper\"\t0 32 0\n}\n\n"
      "bounds {\n";
  for (int frame = 0; frame < 3; ++frame) text += "\t( -5 -5 0 ) ( 5 5 70 )\n";
  text += "}\n\nbaseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 35 ) ( 0 0 0 )\n}\n\n";
  for (const char* rotation : {"0", "-0.7071067811865476", "-1"}) {
    const int frame = rotation[0] == '0' ? 0 : rotation[2] == '.' ? 1 : 2;
    text += "frame " + std::to_string(frame) + " {\n\t" + rotation + "\n}\n\n";
  }
  return text;
}

}  // namespace clipmill::test

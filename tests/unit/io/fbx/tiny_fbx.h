// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "core/file.h"
#include "io/fbx/byte_order.h"

/// Puts small binary FBX files together for tests, byte by byte and without the code under test.
namespace clipmill::test {

inline Bytes bytesOf(std::string_view text) {
  const auto bytes = asBytes(text);
  return Bytes(bytes.begin(), bytes.end());
}

inline Bytes zlibOf(const Bytes& bytes) {
  uLongf size = compressBound(bytes.size());
  Bytes packed(size);
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  packed.resize(size);
  return packed;
}

struct TinyFbx {
  explicit TinyFbx(int with_version, bool big_endian = false, int header_version = 0)
      : is_big_endian(big_endian), is_wide(with_version >= 7500), version(with_version) {
    bytes = bytesOf(std::string_view("Kaydara FBX Binary  \0\x1a", 22));
    bytes.push_back(std::byte{big_endian});
    put(static_cast<std::uint32_t>(header_version ? header_version : version));
  }

  bool is_big_endian, is_wide;
  int version;
  Bytes bytes;

  template <class T>
  void put(T number) {
    bytes.resize(bytes.size() + sizeof(T));
    io::fbx::storeNumber(bytes.data() + bytes.size() - sizeof(T), number, is_big_endian);
  }
  void put(std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  void putWord(std::uint64_t word) {
    if (is_wide) {
      put(word);
    } else {
      put(static_cast<std::uint32_t>(word));
    }
  }
  void setWord(std::size_t position, std::uint64_t word) {
    std::byte* at = bytes.data() + position;
    if (is_wide) {
      io::fbx::storeNumber(at, word, is_big_endian);
    } else {
      io::fbx::storeNumber(at, static_cast<std::uint32_t>(word), is_big_endian);
    }
  }
  std::size_t wordBytes() const { return is_wide ? 8 : 4; }

  /// An element: open(), values, endValues(), children, close().
  std::vector<std::size_t> locations;
  std::size_t count = 0, values_start = 0;

  TinyFbx& open(std::string_view name) {
    locations.push_back(bytes.size());
    for (int i = 0; i < 3; ++i) putWord(0);
    bytes.push_back(static_cast<std::byte>(name.size()));
    put(name);
    values_start = bytes.size();
    count = 0;
    return *this;
  }
  template <class T>
  TinyFbx& scalar(char letter, T number) {
    put(std::string_view(&letter, 1));
    put(number);
    ++count;
    return *this;
  }
  TinyFbx& text(char letter, std::string_view content) {
    put(std::string_view(&letter, 1));
    put(static_cast<std::uint32_t>(content.size()));
    put(content);
    ++count;
    return *this;
  }
  /// An array with any head, true or not.
  TinyFbx& array(char letter, std::uint32_t numbers, std::uint32_t encoding, const Bytes& content) {
    put(std::string_view(&letter, 1));
    put(numbers);
    put(encoding);
    put(static_cast<std::uint32_t>(content.size()));
    bytes.insert(bytes.end(), content.begin(), content.end());
    ++count;
    return *this;
  }
  template <class T>
  TinyFbx& array(char letter, const std::vector<T>& numbers, bool packed = false) {
    Bytes content(numbers.size() * sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      io::fbx::storeNumber(content.data() + i * sizeof(T), numbers[i], is_big_endian);
    if (packed) content = zlibOf(content);
    return array(letter, static_cast<std::uint32_t>(numbers.size()), packed ? 1 : 0, content);
  }
  TinyFbx& endValues() {
    setWord(locations.back() + wordBytes(), count);
    setWord(locations.back() + 2 * wordBytes(), bytes.size() - values_start);
    return *this;
  }
  TinyFbx& close(bool has_null_record) {
    if (has_null_record) nullRecord();
    setWord(locations.back(), bytes.size());
    locations.pop_back();
    return *this;
  }
  TinyFbx& nullRecord() {
    bytes.resize(bytes.size() + 3 * wordBytes() + 1);
    return *this;
  }
  /// An element of one number.
  TinyFbx& number(std::string_view name, std::int32_t value) {
    return open(name).scalar('I', value).endValues().close(false);
  }
  /// Id, zeros to the next multiple of 16, a number, version, zeros, mark. The start of the list
  /// before it defines the number, 0 for the first.
  TinyFbx& footer(std::size_t list_start = 0) {
    put(std::string_view("\xfa\xbc\xab\x09\xd0\xc8\xd4\x66\xb1\x76\xfb\x83\x1c\xf7\x26\x7e", 16));
    bytes.resize(bytes.size() + 16 - bytes.size() % 16);
    put(static_cast<std::uint32_t>(list_start ? bytes.size() - list_start : 0));
    put(static_cast<std::uint32_t>(version));
    bytes.resize(bytes.size() + 120);
    put(std::string_view("\xf8\x5a\x8c\x6a\xde\xf5\xd9\x7e\xec\xe9\x0c\xe3\x75\x8f\x29\x0b", 16));
    return *this;
  }
};

/// The header, an object with an array and an empty block, connections, and what files of that
/// version have at their end.
inline TinyFbx tinyScene(int version, bool big_endian = false) {
  TinyFbx fbx(version, big_endian);
  fbx.open("FBXHeaderExtension").endValues().number("FBXVersion", version).close(true);
  fbx.open("Objects").endValues();
  fbx.open("Model").scalar('L', std::int64_t{7}).text('S', std::string_view("Hip\0\1Model", 10));
  fbx.text('S', "LimbNode").endValues();
  fbx.number("Version", 232);
  fbx.open("Shading").scalar('C', 'T').endValues().close(false);
  fbx.open("Empty").endValues().close(true);
  fbx.open("Bare").endValues().close(false);
  if (version >= 7000) {
    fbx.open("Times").array('l', std::vector<std::int64_t>(40, 46186158000), true);
    fbx.endValues().close(false);
  } else {
    fbx.open("Times").scalar('L', std::int64_t{1}).scalar('L', std::int64_t{46186158000});
    fbx.endValues().close(false);
  }
  fbx.close(true).close(true);
  fbx.open("Connections").endValues();
  fbx.open("C").text('S', "OO").scalar('L', std::int64_t{7}).scalar('L', std::int64_t{0});
  fbx.endValues().close(false);
  fbx.close(true).nullRecord().footer();
  if (version < 7000) {
    const std::size_t summary = fbx.bytes.size();
    fbx.number("FileId", 5);
    fbx.open("Summary").endValues().number("Version", 101).close(true);
    fbx.nullRecord().footer(summary);
  }
  return fbx;
}

/// The same as text, with comments, a continued list, and odd numbers.
inline std::string tinyText(int version, const std::string& line_end = "\n") {
  const std::string number = std::to_string(version);
  std::string text = "; FBX " + number.substr(0, 1) + "." + number.substr(1, 1) + "." +
                     number.substr(2, 1) +
                     " project file\n"
                     "; ----\n\n"
                     "FBXHeaderExtension:  {\n\tFBXVersion: " +
                     number +
                     "\n}\n"
                     "Objects:  {\n"
                     "\tModel: 7, \"Model::Hip\", \"LimbNode\" {\n"
                     "\t\tVersion: 232\n"
                     "\t\tShading: T\n"
                     "\t\tPath: \"C:\\dir\\n;x\", \"text &quot;hi&quot;\" ; a comment: {\n"
                     "\t\tEmpty:  {\n\t\t}\n"
                     "\t\tBare: \n"
                     "\t\tContent: ,\n\t\t\t\"AAAA\"\n"
                     "\t\tKey: 0,1.5,C,s,\n"
                     "\t\t\t46186158000,-nan(ind),L\n"
                     "\t\t\t,92372316000,-1.#INF,U\n"
                     "\t\tNumbers: 1,-2,+3,2.5e-3,1e999,99999999999999999999,1.#QNAN,inf,NaN\n";
  if (version >= 7000) {
    text +=
        "\t\tTimes: *4 {\n\t\t\ta: 1,2.5,\n3,-4e2\n\t\t} \n"
        "\t\tNothing: *0 {\n\t\t\ta: \n\t\t} \n";
  } else {
    text += "\t\tTimes: 1,2.5,3\n\t\t\t,-4e2\n";
  }
  text +=
      "\t}\n}\n"
      "Connections:  {\n"
      "\t\n\t;Model::Hip, Model::RootNode\n\tC: \"OO\",7,0\n"
      "\t\n\t;Other::, Model::Hip\n\tC: \"OO\",8,7\n"
      "}\n";
  if (line_end == "\n") return text;
  std::string other;
  for (const char c : text) other += c == '\n' ? line_end : std::string(1, c);
  return other;
}

}  // namespace clipmill::test

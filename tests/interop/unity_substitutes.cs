// SPDX-License-Identifier: MIT
// The types of Unity that ClipmillPostprocessor.cs uses, and a program that calls it as Unity does
// after an import: with the paths of the assets that were imported. It prints what would be
// imported next, and errors.
using System;
using System.Reflection;

namespace UnityEditor {
  public class AssetPostprocessor {}

  public static class AssetDatabase {
    public static void ImportAsset(string path) { Console.WriteLine("import " + path); }
  }

  public static class EditorPrefs {
    public static string GetString(string key, string otherwise) {
      return Environment.GetEnvironmentVariable(key) ?? otherwise;
    }
  }
}

namespace UnityEngine {
  public static class Debug {
    public static void LogError(object message) { Console.WriteLine("error " + message); }
  }
}

public static class Program {
  public static void Main(string[] paths) {
    var none = new string[0];
    typeof(ClipmillPostprocessor)
        .GetMethod("OnPostprocessAllAssets", BindingFlags.NonPublic | BindingFlags.Static)
        .Invoke(null, new object[] {paths, none, none, none});
  }
}

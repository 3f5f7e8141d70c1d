// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using UnityEditor;
using Debug = UnityEngine.Debug;

/// Bakes models with clipmill when Unity imports them or their recipes. Where a recipe is beside a
/// model (Hero.fbx and Hero.clipmill.toml), the result is written to Hero_baked.fbx, which Unity
/// imports next. The model itself stays as it is. The preference "clipmill.program" is the path of
/// the program; without it, PATH is searched.
public class ClipmillPostprocessor : AssetPostprocessor {
  const string RecipeEnding = ".clipmill.toml";
  const string BakedEnding = "_baked";
  const string Preference = "clipmill.program";
  static readonly string[] ModelEndings = {".fbx", ".glb", ".gltf", ".vrm"};

  static void OnPostprocessAllAssets(string[] imported, string[] deleted, string[] moved,
                                     string[] movedFrom) {
    var models = new HashSet<string>();
    foreach (string path in imported) models.UnionWith(ModelsOf(path));
    foreach (string model in models) {
      string baked = BakedPath(model);
      if (Bake(model, RecipePath(model), baked)) AssetDatabase.ImportAsset(baked);
    }
  }

  /// The models to bake after an import of `path`: itself, or those beside a recipe.
  static IEnumerable<string> ModelsOf(string path) {
    if (path.EndsWith(RecipeEnding)) {
      string stem = path.Substring(0, path.Length - RecipeEnding.Length);
      foreach (string ending in ModelEndings) {
        if (File.Exists(stem + ending)) yield return stem + ending;
      }
    } else if (System.Array.IndexOf(ModelEndings, Path.GetExtension(path).ToLowerInvariant()) >= 0 &&
               File.Exists(RecipePath(path))) {
      yield return path;
    }
  }

  static string RecipePath(string model) { return Path.ChangeExtension(model, null) + RecipeEnding; }

  static string BakedPath(string model) {
    return Path.ChangeExtension(model, null) + BakedEnding + Path.GetExtension(model);
  }

  /// Whether the program wrote `baked`; its message is shown otherwise.
  static bool Bake(string model, string recipe, string baked) {
    var start = new ProcessStartInfo {
      FileName = EditorPrefs.GetString(Preference, "clipmill"),
      Arguments = $"run \"{model}\" --recipe \"{recipe}\" -o \"{baked}\" -q",
      UseShellExecute = false,
      RedirectStandardError = true,
      CreateNoWindow = true,
    };
    try {
      using (Process process = Process.Start(start)) {
        string messages = process.StandardError.ReadToEnd();
        process.WaitForExit();
        // 1: finished, and some clips stayed as they were.
        if (process.ExitCode == 0 || process.ExitCode == 1) return true;
        Debug.LogError($"clipmill, {model}: {messages}");
      }
    } catch (System.ComponentModel.Win32Exception error) {
      Debug.LogError($"clipmill was not found ({error.Message}): set the preference {Preference}");
    }
    return false;
  }
}

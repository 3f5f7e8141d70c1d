// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
// Plays the pose drivers of "clipmill tet-bake --drive pose" in Unity: blend shapes as functions of
// joint rotations (docs/tet-bake.md, Pose drivers). Add it to the root of an imported character and
// assign the .drivers.json file. Needs the package com.unity.nuget.newtonsoft-json.
using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;
using UnityEngine;

namespace Clipmill
{
    public sealed class PoseDrivers : MonoBehaviour
    {
        [SerializeField] private TextAsset driversFile;
        [Tooltip("Unity's scale of blend shape weights: 100 for FBX, 1 for most glTF importers.")]
        [SerializeField] private float fullWeight = 100f;

        private enum Part { Whole, Swing, Twist }

        private struct Input
        {
            public int Joint;
            public Part Part;
            public Vector3 Axis;
            public float Weight;
        }

        private sealed class Morph
        {
            public float[] Values;
            public List<(SkinnedMeshRenderer Mesh, int Index)> Targets;
        }

        private sealed class Driver
        {
            public Transform[] Joints;
            public Quaternion[] Binds;
            public Input[] Inputs;
            public float Width;
            public Quaternion[][] Centers;
            public Morph[] Morphs;
            public Quaternion[] Pose;
            public float[] Weights;
        }

        private readonly List<Driver> drivers = new();
        private List<(SkinnedMeshRenderer Mesh, int Index)> constant = new();

        private void Start()
        {
            var json = JObject.Parse(driversFile.text);
            if ((string)json["format"] != "clipmill-drivers" || (int)json["version"] != 1)
                throw new FormatException("not drivers of a version that is known here");
            constant = json["constant"].SelectMany(name => TargetsOf((string)name)).ToList();
            foreach (var driver in json["drivers"]) drivers.Add(Read(driver));
        }

        private Driver Read(JToken json)
        {
            var driver = new Driver
            {
                Joints = json["joints"].Select(j => Find((string)j["name"])).ToArray(),
                Binds = json["joints"].Select(j => Rotation(j["bind"])).ToArray(),
                Inputs = json["inputs"].Select(ReadInput).ToArray(),
                Width = (float)json["width"],
                Centers = json["centers"].Select(c => c.Select(Rotation).ToArray()).ToArray(),
                Morphs = json["morphs"].Select(m => new Morph
                {
                    Values = m["values"].Select(v => (float)v).ToArray(),
                    Targets = TargetsOf((string)m["name"]),
                }).ToArray(),
            };
            driver.Pose = new Quaternion[driver.Joints.Length];
            driver.Weights = new float[driver.Centers.Length];
            return driver;
        }

        private static Input ReadInput(JToken json) => new()
        {
            Joint = (int)json["joint"],
            Part = (Part)Enum.Parse(typeof(Part), (string)json["part"], true),
            Axis = json["axis"] is JToken a
                ? new Vector3(-(float)a[0], (float)a[1], (float)a[2]) : Vector3.right,
            Weight = (float)json["weight"],
        };

        // Importers mirror x: the file is right-handed, Unity left-handed.
        private static Quaternion Rotation(JToken q) =>
            new Quaternion((float)q[0], -(float)q[1], -(float)q[2], (float)q[3]).normalized;

        private Transform Find(string name) =>
            GetComponentsInChildren<Transform>(true).FirstOrDefault(t => t.name == name)
            ?? throw new FormatException("has no joint " + name);

        // FBX: the name of a blend shape may have that of its group and a dot before it.
        private List<(SkinnedMeshRenderer, int)> TargetsOf(string name) =>
            GetComponentsInChildren<SkinnedMeshRenderer>(true)
                .SelectMany(mesh => Enumerable.Range(0, mesh.sharedMesh.blendShapeCount)
                    .Where(i => mesh.sharedMesh.GetBlendShapeName(i).Split('.').Last() == name)
                    .Select(i => (mesh, i)))
                .ToList();

        // After the Animator.
        private void LateUpdate()
        {
            foreach (var (mesh, index) in constant) mesh.SetBlendShapeWeight(index, fullWeight);
            foreach (var driver in drivers)
            {
                for (var j = 0; j < driver.Pose.Length; ++j)
                    driver.Pose[j] = Quaternion.Inverse(driver.Binds[j]) * driver.Joints[j].localRotation;
                SetCenterWeights(driver);
                foreach (var morph in driver.Morphs)
                {
                    var weight = fullWeight * morph.Values.Zip(driver.Weights, (v, w) => v * w).Sum();
                    foreach (var (mesh, index) in morph.Targets) mesh.SetBlendShapeWeight(index, weight);
                }
            }
        }

        // Weights of the centers, which sum to 1.
        private static void SetCenterWeights(Driver driver)
        {
            for (var c = 0; c < driver.Weights.Length; ++c)
                driver.Weights[c] = driver.Inputs.Sum(input => input.Weight
                    * Distance2(input, driver.Centers[c][input.Joint], driver.Pose[input.Joint]));
            var nearest = driver.Weights.Min();
            for (var c = 0; c < driver.Weights.Length; ++c)
                driver.Weights[c] =
                    Mathf.Exp((nearest - driver.Weights[c]) / (2f * driver.Width * driver.Width));
            var sum = driver.Weights.Sum();
            for (var c = 0; c < driver.Weights.Length; ++c) driver.Weights[c] /= sum;
        }

        // Square of the distance of two rotations, 0 to 4.
        private static float Distance2(Input input, Quaternion a, Quaternion b)
        {
            if (input.Part == Part.Swing)
                return 2f - 2f * Vector3.Dot(a * input.Axis, b * input.Axis);
            var half = input.Part == Part.Whole ? Quaternion.Dot(a, b)
                : Vector2.Dot(HalfTwist(a, input.Axis), HalfTwist(b, input.Axis));
            return 4f * (1f - half * half);
        }

        private static Vector2 HalfTwist(Quaternion q, Vector3 axis) =>
            new Vector2(q.w, Vector3.Dot(new Vector3(q.x, q.y, q.z), axis)).normalized;
    }
}

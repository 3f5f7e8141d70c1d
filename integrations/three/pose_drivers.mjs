// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
// Plays the pose drivers of `clipmill tet-bake --drive pose` in three.js: morph weights and helper
// joints as functions of joint rotations (docs/tet-bake.md, Pose drivers).
//
//   import { PoseDrivers } from './pose_drivers.mjs';
//   const gltf = await loader.loadAsync('hero.glb');
//   const drivers = PoseDrivers.of(gltf);
//   // in each frame, after the joints are posed:
//   mixer.update(seconds);
//   drivers.update();

export class PoseDrivers {
  /** The drivers in the extras of a loaded glTF file; null where it has none. */
  static of(gltf) {
    const json = gltf.userData?.clipmill_drivers;
    return json ? new PoseDrivers(gltf.scene, json) : null;
  }

  /**
   * @param root Object3D with the joints and meshes of the character.
   * @param json The drivers: the parsed text of a .drivers.json file.
   */
  constructor(root, json) {
    if (json.format !== 'clipmill-drivers' || json.version !== 1) {
      throw new Error('not drivers of a version that is known here');
    }
    const joints = new Map();
    const targets = new Map(); // by name of the morph: [influences, index]
    root.traverse((object) => {
      // The loader removes some characters of names, and keeps the original.
      const name = object.userData?.name ?? object.name;
      if (!joints.has(name)) joints.set(name, object);
      for (const [morph, index] of Object.entries(object.morphTargetDictionary ?? {})) {
        if (!targets.has(morph)) targets.set(morph, []);
        targets.get(morph).push([object, index]);
      }
    });
    const targetsOf = (morph) => targets.get(morph) ?? [];
    const jointOf = ({ name }) => {
      if (!joints.has(name)) throw new Error(`has no joint ${name}`);
      return joints.get(name);
    };
    this.constant = json.constant.flatMap(targetsOf);
    this.drivers = json.drivers.map((driver) => ({
      ...driver,
      joints: driver.joints.map((joint) => ({ object: jointOf(joint), bind: joint.bind })),
      morphs: driver.morphs.map(({ name, values }) => ({ values, targets: targetsOf(name) })),
      helpers: (driver.helpers ?? []).map((helper) => ({ ...helper, object: jointOf(helper) })),
    }));
  }

  /** Sets morph weights and helper joints for the current rotations of the joints. */
  update() {
    for (const [object, index] of this.constant) object.morphTargetInfluences[index] = 1;
    for (const driver of this.drivers) {
      const pose = driver.joints.map(({ object, bind }) => relative(bind, object.quaternion));
      const weights = centerWeights(driver, pose);
      for (const { object, translations, rotations } of driver.helpers) {
        object.position.set(...mean(translations, weights));
        object.quaternion.set(...rotationBy(mean(rotations, weights)));
      }
      for (const { values, targets } of driver.morphs) {
        const weight = weights.reduce((sum, own, center) => sum + own * values[center], 0);
        for (const [object, index] of targets) object.morphTargetInfluences[index] = weight;
      }
    }
  }
}

/** Weights of the centers of a driver in a pose, one [x, y, z, w] per joint. They sum to 1. */
export function centerWeights(driver, pose) {
  const distances = driver.centers.map((center) =>
    driver.inputs.reduce(
      (sum, input) => sum + input.weight * distance2(input, center[input.joint], pose[input.joint]),
      0,
    ),
  );
  const nearest = Math.min(...distances);
  const weights = distances.map((d) => Math.exp((nearest - d) / (2 * driver.width ** 2)));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Square of the distance of two rotations, 0 to 4. */
function distance2({ part, axis }, a, b) {
  if (part === 'swing') return 2 - 2 * dot(rotated(a, axis), rotated(b, axis));
  const half = part === 'twist' ? dot(halfTwist(a, axis), halfTwist(b, axis)) : dot(a, b);
  return 4 * (1 - half * half);
}

const mean = (vectors, weights) =>
  [0, 1, 2].map((axis) => vectors.reduce((sum, v, c) => sum + weights[c] * v[axis], 0));

/** The quaternion of a rotation vector: axis times angle. */
function rotationBy(vector) {
  const angle = Math.hypot(...vector);
  const factor = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  return [...vector.map((x) => x * factor), Math.cos(angle / 2)];
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Cosine and sine of half the angle about an axis. */
function halfTwist([x, y, z, w], axis) {
  const sine = x * axis[0] + y * axis[1] + z * axis[2];
  const length = Math.hypot(w, sine);
  return length > 0 ? [w / length, sine / length] : [0, 0];
}

/** conjugate(bind) * q, normalised. */
function relative([bx, by, bz, bw], { x, y, z, w }) {
  const product = [
    bw * x - bx * w - by * z + bz * y,
    bw * y + bx * z - by * w - bz * x,
    bw * z - bx * y + by * x - bz * w,
    bw * w + bx * x + by * y + bz * z,
  ];
  const length = Math.hypot(...product);
  return length > 0 ? product.map((p) => p / length) : [0, 0, 0, 1];
}

function rotated([x, y, z, w], v) {
  const u = [x, y, z];
  const t = cross(u, v).map((c) => 2 * c);
  const s = cross(u, t);
  return v.map((c, i) => c + w * t[i] + s[i]);
}

// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PoseDrivers, centerWeights } from '../../integrations/three/pose_drivers.mjs';

const about = ([x, y, z], degrees) => {
  const half = (degrees * Math.PI) / 360;
  const s = Math.sin(half) / Math.hypot(x, y, z);
  return [x * s, y * s, z * s, Math.cos(half)];
};

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);

const driver = {
  name: 'Elbow',
  joints: [{ name: 'Elbow', path: 'Arm/Elbow', bind: about([0, 1, 0], 30) }],
  inputs: [{ joint: 0, part: 'whole', weight: 1 }],
  width: 0.5,
  centers: [[about([1, 0, 0], 0)], [about([1, 0, 0], 60)]],
  morphs: [{ name: 'bend', values: [0, 1] }],
};

function weightAt(own, pose) {
  const weights = centerWeights(own, pose);
  near(weights.reduce((a, b) => a + b), 1);
  return weights[1];
}

test('two centers share a pose by the Gaussians of their distances', () => {
  near(weightAt(driver, [about([1, 0, 0], 30)]), 0.5);
  // The square of the distance is 2 - 2 cos a.
  const square = 2 - 2 * Math.cos(Math.PI / 3);
  near(weightAt(driver, [about([1, 0, 0], 60)]), 1 / (1 + Math.exp(-square / (2 * 0.25))));
});

test('swing and twist are measured apart', () => {
  const axis = [0, 0, 1];
  const twist = { ...driver, inputs: [{ joint: 0, part: 'twist', axis, weight: 1 }] };
  near(weightAt(twist, [about([1, 0, 0], 60)]), 0.5);
  const swing = { ...driver, inputs: [{ joint: 0, part: 'swing', axis, weight: 1 }] };
  near(weightAt(swing, [about([0, 0, 1], 77)]), weightAt(driver, [about([1, 0, 0], 0)]));
  near(weightAt(swing, [about([1, 0, 0], 60)]), weightAt(driver, [about([1, 0, 0], 60)]));
});

test('the sign of a quaternion does not matter, and far poses have the nearest center', () => {
  const pose = about([1, 2, 3], 100);
  near(weightAt(driver, [pose]), weightAt(driver, [pose.map((x) => -x)]));
  near(weightAt({ ...driver, width: 1e-3 }, [about([1, 0, 0], 170)]), 1);
});

test('a player finds joints by their original names and sets all meshes', () => {
  const [x, y, z, w] = about([0, 1, 0], 30);
  const joint = { name: 'Elbow_1', userData: { name: 'Elbow' }, quaternion: { x, y, z, w } };
  const meshes = [0, 1].map((at) => ({
    name: `mesh ${at}`,
    morphTargetDictionary: { other: 0, bend: 1, base: 2 },
    morphTargetInfluences: [0.25, 0.5, 0],
  }));
  const scene = { traverse: (visit) => [joint, ...meshes].forEach(visit) };
  const json = { format: 'clipmill-drivers', version: 1, constant: ['base'], drivers: [driver] };
  assert.equal(PoseDrivers.of({ scene, userData: {} }), null);
  const player = PoseDrivers.of({ scene, userData: { clipmill_drivers: json } });
  player.update();
  for (const { morphTargetInfluences } of meshes) {
    assert.equal(morphTargetInfluences[0], 0.25);
    near(morphTargetInfluences[1], weightAt(driver, [about([1, 0, 0], 0)]));
    assert.equal(morphTargetInfluences[2], 1);
  }
});

test('helper joints have the mean of their translations and rotation vectors', () => {
  const vector = () => ({ set(...numbers) { this.numbers = numbers; } });
  const [x, y, z, w] = about([0, 1, 0], 30);
  const elbow = { name: 'Elbow', quaternion: { x, y, z, w } };
  const helper = { name: 'bake_Elbow_1', position: vector(), quaternion: vector() };
  const scene = { traverse: (visit) => [elbow, helper].forEach(visit) };
  const moved = {
    ...driver,
    morphs: [],
    helpers: [
      {
        name: 'bake_Elbow_1',
        translations: [[0, 0, 0], [2, 0, 1]],
        rotations: [[0, 0, 0], [0, 0, Math.PI / 2]],
      },
    ],
  };
  const json = { format: 'clipmill-drivers', version: 1, constant: [], drivers: [moved] };
  const player = new PoseDrivers(scene, json);
  player.update();
  const share = weightAt(driver, [about([1, 0, 0], 0)]);
  [2 * share, 0, share].forEach((wanted, i) => near(helper.position.numbers[i], wanted));
  about([0, 0, 1], 90 * share).forEach((wanted, i) => near(helper.quaternion.numbers[i], wanted));
  assert.throws(() => new PoseDrivers({ traverse: (visit) => visit(elbow) }, json), /bake_Elbow_1/);
});

test('other versions and missing joints are refused', () => {
  const scene = { traverse: () => {} };
  const json = { format: 'clipmill-drivers', version: 2, constant: [], drivers: [] };
  assert.throws(() => new PoseDrivers(scene, json), /version/);
  assert.throws(() => new PoseDrivers(scene, { ...json, version: 1, drivers: [driver] }), /Elbow/);
});

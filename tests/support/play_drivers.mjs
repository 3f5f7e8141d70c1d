// SPDX-License-Identifier: MIT
// Plays pose drivers with the player for three.js, without three.js.
//   node play_drivers.mjs < input.json
// Input: {"drivers": .drivers.json, "frames": [{joint name: [x, y, z, w]} ..]}.
// Output: {"names": [morph ..], "weights": [[one per morph] per frame],
//   "helpers": [{joint name: {"translation": [x, y, z], "rotation": [x, y, z, w]}} per frame]}.
import { readFileSync } from 'node:fs';
import { PoseDrivers } from '../../integrations/three/pose_drivers.mjs';

const { drivers, frames } = JSON.parse(readFileSync(0));
const names = [
  ...drivers.constant,
  ...drivers.drivers.flatMap(({ morphs }) => morphs.map(({ name }) => name)),
];
const mesh = {
  name: 'mesh',
  morphTargetDictionary: Object.fromEntries(names.map((name, index) => [name, index])),
  morphTargetInfluences: names.map(() => 0),
};
const vector = () => ({
  set(...numbers) {
    this.numbers = numbers;
  },
});
const helpers = drivers.drivers
  .flatMap((driver) => driver.helpers ?? [])
  .map(({ name }) => ({ name, position: vector(), quaternion: vector() }));
const joints = Object.keys(frames[0]).map((name) => ({ name, quaternion: {} }));
const root = { traverse: (visit) => [mesh, ...joints, ...helpers].forEach(visit) };
const player = new PoseDrivers(root, drivers);
const played = frames.map((frame) => {
  for (const joint of joints) {
    const [x, y, z, w] = frame[joint.name];
    Object.assign(joint.quaternion, { x, y, z, w });
  }
  player.update();
  const moved = helpers.map(({ name, position, quaternion }) => [
    name,
    { translation: position.numbers, rotation: quaternion.numbers },
  ]);
  return { weights: [...mesh.morphTargetInfluences], helpers: Object.fromEntries(moved) };
});
const output = {
  names,
  weights: played.map((frame) => frame.weights),
  helpers: played.map((frame) => frame.helpers),
};
console.log(JSON.stringify(output));

// SPDX-License-Identifier: MIT
// Plays pose drivers with the player for three.js, without three.js.
//   node play_drivers.mjs < input.json
// Input: {"drivers": .drivers.json, "frames": [{joint name: [x, y, z, w]} ..]}.
// Output: {"names": [morph ..], "weights": [[one per morph] per frame]}.
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
const joints = Object.keys(frames[0]).map((name) => ({ name, quaternion: {} }));
const root = { traverse: (visit) => [mesh, ...joints].forEach(visit) };
const player = new PoseDrivers(root, drivers);
const weights = frames.map((frame) => {
  for (const joint of joints) {
    const [x, y, z, w] = frame[joint.name];
    Object.assign(joint.quaternion, { x, y, z, w });
  }
  player.update();
  return [...mesh.morphTargetInfluences];
});
console.log(JSON.stringify({ names, weights }));

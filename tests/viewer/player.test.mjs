// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player } from '../../tools/viewer/src/player.js';

function playerOf(clip) {
  const player = new Player();
  player.setClip(clip);
  return player;
}

test('frames are start + k / fps, and the last one is the end of the clip', () => {
  const player = playerOf({ start: 0.5, end: 1.55, fps: 10 });
  assert.equal(player.frameCount, 12);
  assert.equal(player.timeOf(0), 0.5);
  assert.equal(player.timeOf(10), 1.5);
  assert.equal(player.timeOf(11), 1.55);
});

test('a clip whose end is a frame has no frame twice', () => {
  const player = playerOf({ start: 0, end: 1, fps: 30 });
  assert.equal(player.frameCount, 31);
  assert.equal(player.timeOf(29), 29 / 30);
  assert.equal(player.timeOf(30), 1);
});

test('times outside of the clip are its ends', () => {
  const player = playerOf({ start: 1, end: 2, fps: 30 });
  player.seek(0);
  assert.equal(player.time, 1);
  player.seek(9);
  assert.equal(player.time, 2);
  assert.equal(player.frame, 30);
});

test('steps go round in both directions and pause', () => {
  const player = playerOf({ start: 0, end: 1, fps: 10 });
  player.play();
  player.step(-1);
  assert.equal(player.playing, false);
  assert.equal(player.time, 1);
  player.step(1);
  assert.equal(player.time, 0);
  player.step(25);
  assert.equal(player.frame, 25 % 11);
});

test('time passes at the rate of playing and starts over at the end', () => {
  const player = playerOf({ start: 2, end: 4, fps: 30 });
  player.advance(1);
  assert.equal(player.time, 2);
  player.rate = 0.5;
  player.play();
  player.advance(1);
  assert.equal(player.time, 2.5);
  player.advance(4);
  assert.equal(player.time, 2.5);
});

test('a clip without length or rate has one frame', () => {
  const player = playerOf({ start: 3, end: 1, fps: 0 });
  assert.equal(player.frameCount, 1);
  assert.equal(player.fps, 30);
  player.play();
  player.advance(1);
  assert.equal(player.time, 3);
});

test('listeners hear of each change', () => {
  const player = new Player();
  const heard = [];
  player.onChange(({ time }) => heard.push(time));
  player.setClip({ start: 0, end: 1, fps: 30 });
  player.seek(0.25);
  assert.deepEqual(heard, [0, 0.25]);
});

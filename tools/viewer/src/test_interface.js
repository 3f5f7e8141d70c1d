// SPDX-License-Identifier: MIT
// What tests ask of the page, as window.clipmill.
import * as THREE from 'three';
import { nameOf, worldOf } from './model.js';

const array = (v) => [v.x, v.y, v.z];

function stateOf(page) {
  const { player, view } = page;
  return {
    clip: page.clip,
    time: player.time,
    frame: player.frame,
    frames: player.frameCount,
    playing: player.playing,
    layout: page.layout,
    shown: { ...page.shown },
    level: page.level,
    light: view.shadow.light.toArray(),
    height: page.height,
    tets: page.tets.state(),
    charts: page.plots.charts.map((chart) => ({
      name: chart.series.name,
      time: chart.timeOfPlayhead(),
    })),
  };
}

// A vertex as it is drawn now, its shadow, and where the shadow is on the canvas.
function shadowOf({ view, models }, side, mesh, vertex) {
  const { object } = models[side].meshes[mesh];
  const at = object.getVertexPosition(vertex, new THREE.Vector3());
  object.localToWorld(at);
  const shadow = view.shadow.project(at);
  return { vertex: array(at), shadow: array(shadow), screen: view.screenOf(side, shadow) };
}

export function testInterface(page) {
  const { player, view, models } = page;
  return {
    state: () => stateOf(page),
    seek: (time) => {
      player.pause();
      player.seek(time);
      view.render();
    },
    play: () => player.play(),
    pause: () => player.pause(),
    setClip: (index) => page.setClip(index),
    setLayout: (layout) => page.setLayout(layout),
    toggle: (key, value) => page.toggle(key, value),
    cut: (from, part) => {
      page.tets.cutTo(from, part);
      view.render();
    },
    nodeNames: (side) => models[side].nodes.filter(Boolean).map(nameOf),
    bonePosition: (side, name) => {
      const node = models[side].nodeNamed(name);
      return node && array(worldOf(node));
    },
    image: () => view.image(),
    pixel: (x, y) => view.pixel(x, y),
    vertexCount: (side, mesh) =>
      models[side].meshes[mesh].object.geometry.attributes.position.count,
    shadowOf: (side, mesh, vertex) => shadowOf(page, side, mesh, vertex),
  };
}

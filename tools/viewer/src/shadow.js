// SPDX-License-Identifier: MIT
// Planar shadows: every vertex is moved along the light onto a plane by one matrix, and what comes
// out is drawn in one flat colour.
import * as THREE from 'three';
import { planarShadowRows } from './shadow_rows.js';

// The projection onto a plane along a light, in a matrix.
export function planarShadowMatrix(plane, light, target = new THREE.Matrix4()) {
  const { normal, constant } = plane;
  return target.set(...planarShadowRows(
    [normal.x, normal.y, normal.z, constant], [light.x, light.y, light.z, light.w]));
}

// Draws the shadow of everything on `layer` of a scene, for a camera that has drawn the scene.
export class ShadowPass {
  constructor(layer) {
    this.plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);
    this.light = new THREE.Vector4(0.42, 1, 0.3, 0).normalize();
    this.matrix = new THREE.Matrix4();
    this.camera = new THREE.PerspectiveCamera();
    this.camera.matrixWorldAutoUpdate = false;
    this.camera.layers.set(layer);
    // Each pixel is darkened once, however many surfaces fall on it.
    this.material = new THREE.MeshBasicMaterial({
      transparent: true,
      side: THREE.DoubleSide,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      stencilWrite: true,
      stencilFunc: THREE.EqualStencilFunc,
      stencilRef: 0,
      stencilZPass: THREE.IncrementStencilOp,
      fog: false,
    });
    this.setHeight(0);
  }

  setHeight(height) {
    this.plane.constant = -height;
    planarShadowMatrix(this.plane, this.light, this.matrix);
  }

  // Where a point of the world throws its shadow.
  project(point) {
    const v = new THREE.Vector4(point.x, point.y, point.z, 1).applyMatrix4(this.matrix);
    return new THREE.Vector3(v.x / v.w, v.y / v.w, v.z / v.w);
  }

  render(renderer, scene, camera) {
    if (camera.position.y <= -this.plane.constant) return; // seen from below there is no ground
    this.camera.projectionMatrix.copy(camera.projectionMatrix);
    this.camera.projectionMatrixInverse.copy(camera.projectionMatrixInverse);
    this.camera.matrixWorld.copy(camera.matrixWorld);
    this.camera.matrixWorldInverse.multiplyMatrices(camera.matrixWorldInverse, this.matrix);
    scene.overrideMaterial = this.material;
    renderer.render(scene, this.camera);
    scene.overrideMaterial = null;
  }
}

// A run as animated glTF, read by the loader that pages use: meshes, names, and bodies that move as they did in the run.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {describe, it} from 'node:test';
import {AnimationMixer, Vector3} from 'three';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';
import {command, root} from './server.mjs';

const offered = spawnSync(command, ['run', '--help'], {encoding: 'utf8'}).stdout?.includes('--gltf');

describe('gltf', {skip: offered ? false : 'this catena has no run --gltf'}, () => {
  it('opens in three.js, with names and with the motion of the run', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'catena-gltf-'));
    const glb = path.join(folder, 'run.glb'), csv = path.join(folder, 'run.csv');
    execFileSync(command, ['run', 'examples/spinning-top.yaml', '--time', '1', '--gltf', glb, '--out', csv], {cwd: root, stdio: 'pipe'});
    const bytes = readFileSync(glb);
    const model = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
    assert.equal(model.animations.length, 1);

    const lines = readFileSync(csv, 'utf8').trim().split('\n'), x = lines[0].split(',').indexOf('top.x'), last = lines.at(-1).split(',').map(Number);
    const body = model.scene.getObjectByName('top');
    assert.ok(body, 'no node of the name of the body');
    const mixer = new AnimationMixer(model.scene);
    const action = mixer.clipAction(model.animations[0]);
    action.clampWhenFinished = true;
    action.setLoop(2200, 1);
    action.play();
    mixer.setTime(model.animations[0].duration - 1e-6);
    model.scene.updateMatrixWorld(true);
    // y up in the file, z up in the run
    const at = body.getWorldPosition(new Vector3()), error = Math.hypot(at.x - last[x], at.y - last[x + 2], at.z + last[x + 1]);
    assert.ok(error < 1e-3, `the top is ${error} m away from where the run ended`);
    let meshes = 0;
    model.scene.traverse((object) => { if (object.isMesh) meshes += 1; });
    assert.ok(meshes >= 1, `${meshes} meshes`);
  });
});

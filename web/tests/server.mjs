// Starts `catena view` and stops it again; the address comes from the first line it prints.
import {spawn} from 'node:child_process';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const command = process.env.CATENA ? path.resolve(process.env.CATENA) : path.join(root, 'build/dev/catena');

// Returns {url, port, token, process, output(), stop()}; throws with all output when it does not come up in 10 s.
export async function startServer(scene, options = []) {
  const args = ['view', ...(scene ? [scene] : []), '--port', '0', '--no-open', ...options];
  const child = spawn(command, args, {cwd: root, stdio: ['pipe', 'pipe', 'pipe']});
  let output = '';
  const address = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`catena ${args.join(' ')}: ${why}\n${output}`));
    const timer = setTimeout(() => { child.kill(); fail('no address in 10 s'); }, 10000);
    const read = (bytes) => {
      output += bytes;
      const found = /(http:\/\/127\.0\.0\.1:(\d+)\/\?token=(\w+))/.exec(output);
      if (found) { clearTimeout(timer); resolve({url: found[1], port: Number(found[2]), token: found[3]}); }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', (error) => { clearTimeout(timer); fail(error.message); });
    child.on('exit', (code) => { clearTimeout(timer); fail(`ended with ${code}`); });
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    ...address,
    process: child,
    output: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(late);
    },
  };
}

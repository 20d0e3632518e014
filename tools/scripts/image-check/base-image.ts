import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../extensions-check/commands.js';

/** The packages of Debian's slim images, and those that Node needs. */
const PACKAGES = ['?essential', 'libstdc++6', 'libatomic1'];
const TAR_OPTIONS =
  '--keep-directory-symlink --exclude=./usr/share/doc --exclude=./usr/share/locale --exclude=./usr/share/man';
const USERS = 'root:x:0:0:root:/root:/bin/bash\nnode:x:1000:1000::/home/node:/bin/bash\n';
const GROUPS = 'root:x:0:\nnode:x:1000:\n';

/**
 * Writes the files of an image with Node and npm, for machines without a registry of images. They come from this
 * machine's Debian, the Node that `npm ci` installed, and the npm that runs this, with its registry.
 */
export async function writeBaseImage(folder: string, root: string): Promise<void> {
  const system = join(folder, 'rootfs');
  for (const path of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'usr/local/lib/node_modules'])
    mkdirSync(join(system, path), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(system, name));
  for (const file of await downloadPackages(join(folder, 'apt')))
    await mustRun('sh', ['-c', `dpkg-deb --fsys-tarfile "$0" | tar -x ${TAR_OPTIONS}`, file], system);
  if (!existsSync(join(system, 'usr/bin/sh'))) symlinkSync('dash', join(system, 'usr/bin/sh'));
  writeFileSync(join(system, 'etc/passwd'), USERS);
  writeFileSync(join(system, 'etc/group'), GROUPS);
  addNode(join(system, 'usr/local'), root);
  await addSettings(join(system, 'usr/local/etc'), root);
  rmSync(join(folder, 'apt'), { recursive: true });
  const path = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':');
  writeFileSync(join(folder, 'Dockerfile'), `FROM scratch\nCOPY rootfs /\nENV PATH=${path}\n`);
}

/** Downloads packages with all dependencies, as for an empty machine. Leaves this machine's packages as they are. */
async function downloadPackages(folder: string): Promise<string[]> {
  for (const path of ['state', 'cache/archives/partial']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'state/status'), '');
  const places = { 'Dir::State': join(folder, 'state'), 'Dir::State::status': join(folder, 'state/status') };
  const settings = { ...places, 'Dir::Cache': join(folder, 'cache'), 'APT::Sandbox::User': 'root' };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await mustRun('apt-get', [...options, 'update'], folder);
  const words = ['install', '--yes', '--no-install-recommends', '--download-only'];
  await mustRun('apt-get', [...options, ...words, ...PACKAGES], folder);
  return globSync(join(folder, 'cache/archives/*.deb'));
}

function addNode(local: string, root: string): void {
  const npm = join(process.env['npm_execpath'] ?? '', '../..');
  copyFileSync(join(root, `node_modules/node-linux-${process.arch}/bin/node`), join(local, 'bin/node'));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
}

/** Copies npm's registry, proxies and certificates, but no credentials. */
async function addSettings(folder: string, root: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  for (const name of ['registry', 'proxy', 'https-proxy', 'noproxy', 'cafile']) {
    const given = (await mustRun('npm', ['config', 'get', name], root)).trim().replace(/^null$/, '');
    const value = name === 'cafile' ? given || process.env['NODE_EXTRA_CA_CERTS'] : given;
    if (!value) continue;
    if (name === 'cafile') copyFileSync(value, join(folder, 'npm-ca.pem'));
    lines.push(`${name}=${name === 'cafile' ? '/usr/local/etc/npm-ca.pem' : value}`);
  }
  writeFileSync(join(folder, 'npmrc'), `${lines.join('\n')}\n`);
}

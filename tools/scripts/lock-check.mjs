// Says what in package.json and package-lock.json would break `npm ci` elsewhere, a line each, and exits 1.
//   node scripts/lock-check.mjs [folder]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'];
const EXACT = /^(npm:(@[^/]+\/)?[^@/]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

const folder = process.argv[2] ?? '.';
const problems = problemsOf(read('package.json'), read('package-lock.json').packages ?? {});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${join(folder, 'package-lock.json')} is complete, pinned and free of download addresses`);

function read(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exit(1);
  }
}

function problemsOf(manifest, locked) {
  const root = locked[''] ?? {};
  return [
    ...loose(manifest),
    ...astray(manifest, root),
    ...withoutPeers(manifest, locked),
    ...dropped(locked),
    ...addressed(locked),
  ];
}

/** A range lets tomorrow's `npm install` choose an untested version. */
function loose(manifest) {
  const named = [...SECTIONS, 'overrides'].flatMap((section) => Object.entries(manifest[section] ?? {}));
  return named
    .filter(([, wanted]) => typeof wanted === 'string' && !EXACT.test(wanted))
    .map(([name, wanted]) => `${name}: "${wanted}" is no exact version`);
}

/** `npm ci` refuses a lock that was made for another package.json. */
function astray(manifest, root) {
  return [...SECTIONS, 'peerDependencies'].flatMap((section) => {
    const names = new Set([...Object.keys(manifest[section] ?? {}), ...Object.keys(root[section] ?? {})]);
    return [...names]
      .filter((name) => manifest[section]?.[name] !== root[section]?.[name])
      .map((name) => `${name}: package.json has ${manifest[section]?.[name]}, the lock ${root[section]?.[name]}`);
  });
}

/**
 * Peers have ranges, for hosts that have a version of their own (docs/decisions/0021); the lock alone pins them. One that is named among the
 * development packages too is left out of the image by `npm ci --omit=dev`, as an optional one may be.
 */
function withoutPeers({ peerDependencies = {}, peerDependenciesMeta = {} }, locked) {
  return Object.keys(peerDependencies).flatMap((name) => {
    const peer = locked[`node_modules/${name}`];
    if (!peer) return [`${name}: a peer, but not in the lock`];
    const isLeftOut = (peer.dev || peer.devOptional) && !peerDependenciesMeta[name]?.optional;
    return isLeftOut ? [`${name}: a peer, but "npm ci --omit=dev" leaves it out`] : [];
  });
}

/**
 * npm leaves an optional package out of the lock without a word when the registry lacks it on that day, such as a
 * platform's build published late; then `npm ci` fails on every machine with "Missing: … from lock file".
 */
function dropped(locked) {
  return Object.entries(locked).flatMap(([path, { version, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFound(locked, path, name))
      .map(([name, wanted]) => `${path || 'package.json'}@${version}: optional ${name}@${wanted} is not in the lock`),
  );
}

/** Resolves like Node: beside the package, then in each folder above it. */
function isFound(locked, from, name) {
  if (locked[`${from}${from && '/'}node_modules/${name}`]) return true;
  if (from === '') return false;
  return isFound(locked, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** A download address binds the lock to the network it was made in; without integrity the download is trusted blindly. */
function addressed(locked) {
  return Object.entries(locked).flatMap(([path, { resolved = '', integrity, link, inBundle }]) => {
    const installed = path.includes('node_modules/') && !link && !inBundle;
    return [
      ...(resolved.includes('://') ? [`${path}: the lock names a download address`] : []),
      ...(installed && !integrity ? [`${path}: the lock has no integrity`] : []),
    ];
  });
}

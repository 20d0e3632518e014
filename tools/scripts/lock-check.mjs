// Prints everything in package.json and package-lock.json that would break `npm ci` elsewhere, and exits with 1.
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

/** Finds ranges: with a range, the next `npm install` chooses a version that was never tested. */
function loose(manifest) {
  const named = [...SECTIONS, 'overrides'].flatMap((section) => Object.entries(manifest[section] ?? {}));
  return named
    .filter(([, wanted]) => typeof wanted === 'string' && !EXACT.test(wanted))
    .map(([name, wanted]) => `${name}: "${wanted}" is no exact version`);
}

/** Finds differences to package.json, for which `npm ci` would refuse the lock. */
function astray(manifest, root) {
  return [...SECTIONS, 'peerDependencies'].flatMap((section) => {
    const names = new Set([...Object.keys(manifest[section] ?? {}), ...Object.keys(root[section] ?? {})]);
    return [...names]
      .filter((name) => manifest[section]?.[name] !== root[section]?.[name])
      .map((name) => `${name}: package.json has ${manifest[section]?.[name]}, the lock ${root[section]?.[name]}`);
  });
}

/**
 * Finds peers that the image would lack. Peers have ranges (docs/decisions/0021), so only the lock pins them. `npm ci
 * --omit=dev` leaves out a peer that is also a development package, which only an optional peer may be.
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
 * Finds optional packages that are missing in the lock. npm leaves out what the registry lacks on that day, such as a
 * platform's late build. Then `npm ci` fails everywhere with "Missing: … from lock file".
 */
function dropped(locked) {
  return Object.entries(locked).flatMap(([path, { version, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFound(locked, path, name))
      .map(([name, wanted]) => `${path || 'package.json'}@${version}: optional ${name}@${wanted} is not in the lock`),
  );
}

/** Looks a package up like Node: beside the importing package, then in each folder above it. */
function isFound(locked, from, name) {
  if (locked[`${from}${from && '/'}node_modules/${name}`]) return true;
  if (from === '') return false;
  return isFound(locked, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

/** Finds download addresses, which bind the lock to one network, and packages whose download is not verified. */
function addressed(locked) {
  return Object.entries(locked).flatMap(([path, { resolved = '', integrity, link, inBundle }]) => {
    const installed = path.includes('node_modules/') && !link && !inBundle;
    return [
      ...(resolved.includes('://') ? [`${path}: the lock names a download address`] : []),
      ...(installed && !integrity ? [`${path}: the lock has no integrity`] : []),
    ];
  });
}

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { billOfMaterials, problemsOf, toCycloneDx } from '../../../scripts/sbom/bill-of-materials.js';
import { bundledPaths } from '../../../scripts/sbom/bundled-paths.js';
import { type Lock, nameOf, productionPaths, readLock, resolve } from '../../../scripts/sbom/locked-packages.js';

const ROOT = join(import.meta.dirname, '../../..');
const lock = readLock(ROOT);

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties?: readonly unknown[];
}

interface Document {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** What the project needs, and that needs in turn: found without npm's own marks of what is production. */
function needed(from = '', found = new Set<string>()): Set<string> {
  const { dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies } = lock[from] ?? {};
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const path = resolve(lock, from, name);
    const isLeftOut = (peerDependenciesMeta?.[name]?.optional ?? false) && !dependencies?.[name];
    if (isLeftOut || optionalDependencies?.[name] || path === null || found.has(path)) continue;
    needed(path, found.add(path));
  }
  return found;
}

const purlOf = (path: string) => {
  const locked = lock[path];
  return locked && `pkg:npm/${nameOf(path, locked).replace('@', '%40')}@${locked.version}`;
};

let text: string;
let document: Document;
beforeAll(async () => {
  text = toCycloneDx(billOfMaterials(lock, productionPaths(lock), await bundledPaths(ROOT, lock)));
  document = JSON.parse(text) as Document;
});
const purls = () => document.components.map(({ purl }) => purl);
const dependenciesOf = (wanted: string) => document.dependencies.find(({ ref }) => ref === wanted)?.dependsOn;

describe('the bill of materials', () => {
  it('lists every package that the service needs, and those inside the dashboard, once', () => {
    const shipped = [...needed()].map(purlOf);
    const dashboard = ['node_modules/preact', 'node_modules/preact-iso'].map(purlOf);
    expect(shipped.length).toBeGreaterThan(100);
    expect(purls().toSorted()).toEqual([...new Set([...shipped, ...dashboard])].toSorted());
  });

  it('knows of each its version, licence and hash', () => {
    const lacking = document.components.filter(
      ({ version, licenses, hashes }) =>
        !version || !licenses?.length || !/^[0-9a-f]{128}$/.test(hashes?.[0]?.content ?? ''),
    );
    expect(lacking).toEqual([]);
  });

  it('has the hash of the lock, in hexadecimal', () => {
    const { integrity = '' } = lock['node_modules/fastify'] ?? {};
    const [hash] = document.components.find(({ name }) => name === 'fastify')?.hashes ?? [];
    expect(hash).toEqual({ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') });
  });

  it('says which parts are inside the dashboard, and which package needs which', () => {
    const bundled = document.components.filter(({ properties }) => properties).map(({ name }) => name);
    expect(bundled.toSorted()).toEqual(['preact', 'preact-iso']);
    expect(dependenciesOf('namewatch')).toEqual(expect.arrayContaining([purlOf('node_modules/preact')]));
    const [pg, types] = ['node_modules/pg', 'node_modules/pg-types'].map(purlOf);
    expect(dependenciesOf(pg ?? '')).toContain(types);
  });

  it('is of the project in its version', () => {
    const { version } = lock[''] ?? {};
    expect(document.metadata.component).toMatchObject({ type: 'application', name: 'namewatch', version });
  });

  it('passes CycloneDX’s own schema', async () => {
    expect(await problemsOf(text)).toBeNull();
  });

  it.each([
    ['a component without a name', (it: Component) => ({ ...it, name: undefined })],
    ['an unknown licence', (it: Component) => ({ ...it, licenses: [{ license: { id: 'Mine' } }] })],
    ['a field of its own', (it: Component) => ({ ...it, checked: true })],
  ])('does not pass it with %s', async (_, broken) => {
    const components = document.components.map((component, i) => (i === 0 ? broken(component) : component));
    expect(await problemsOf(JSON.stringify({ ...document, components }))).not.toBeNull();
  });
});

describe('a bill of materials of another lock', () => {
  const inLock = (entries: Lock): Lock => ({ '': { name: 'service', version: '1.0.0' }, ...entries });

  it('lists neither development nor optional packages, and a package installed twice once', () => {
    const of = inLock({
      'node_modules/a': { version: '1.0.0', license: '(MIT OR Apache-2.0)' },
      'node_modules/b/node_modules/a': { version: '1.0.0' },
      'node_modules/renamed': { name: '@scope/real', version: '2.0.0' },
      'node_modules/dev': { version: '1.0.0', dev: true },
      'node_modules/optional': { version: '1.0.0', optional: true },
      'node_modules/either': { version: '1.0.0', devOptional: true },
    });
    const { components } = billOfMaterials(of, productionPaths(of), []);
    expect([...components].map(({ purl }) => purl)).toEqual(['pkg:npm/a@1.0.0', 'pkg:npm/%40scope/real@2.0.0']);
  });
});

import { Contrib, Enums, Models, Serialize, Spec, Validation } from '../../tools/cyclonedx.js';
import { type Lock, type LockedPackage, nameOf, resolve } from './locked-packages.js';

const { Component, Bom, Metadata, Property, Tool, ToolRepository, Tools } = Models;
const licenses = new Contrib.License.Factories.LicenseFactory((text) => {
  if (!/ (AND|OR|WITH) /.test(text)) throw new Error(`${text} is no SPDX expression`);
});

/** One component for each name and version, however often it is installed. */
export function billOfMaterials(lock: Lock, production: readonly string[], bundled: readonly string[]): Models.Bom {
  const project = lock[''];
  if (!project?.name) throw new Error('package-lock.json names no project');
  const root = new Component(Enums.ComponentType.Application, project.name, {
    version: project.version,
    bomRef: project.name,
  });
  if (project.license) root.licenses.add(licenses.makeFromString(project.license));
  const tools = new Tools({
    tools: new ToolRepository([new Tool({ name: 'npm run sbom', version: project.version })]),
  });
  const bom = new Bom({
    metadata: new Metadata({ component: root, timestamp: new Date(), tools }),
    serialNumber: Contrib.Bom.Utils.randomSerialNumber(),
  });
  const components = addComponents(bom, lock, [...production, ...bundled]);
  for (const path of bundled) components.get(path)?.properties.add(new Property('namewatch:bundled-in', 'dist/ui'));
  link(lock, new Map([...components, ['', root]]));
  for (const path of bundled) addDependency(root, components.get(path));
  return bom;
}

function addComponents(bom: Models.Bom, lock: Lock, paths: readonly string[]): Map<string, Models.Component> {
  const byPurl = new Map<string, Models.Component>();
  const byPath = new Map<string, Models.Component>();
  for (const path of paths) {
    const locked = lock[path];
    if (!locked) throw new Error(`${path} is not in the lock`);
    const component = toComponent(nameOf(path, locked), locked);
    const known = byPurl.get(component.purl ?? path) ?? component;
    byPurl.set(component.purl ?? path, known);
    byPath.set(path, known);
    bom.components.add(known);
  }
  return byPath;
}

function toComponent(fullName: string, { version, license, integrity }: LockedPackage): Models.Component {
  const [name = '', group] = fullName.split('/').toReversed();
  const purl = `pkg:npm/${fullName.replace('@', '%40')}@${version}`;
  const component = new Component(Enums.ComponentType.Library, name, { group, version, purl, bomRef: purl });
  if (license) component.licenses.add(licenses.makeFromString(license));
  const [algorithm, digest] = integrity?.split('-') ?? [];
  if (algorithm === 'sha512' && digest)
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex'));
  return component;
}

/** Which of the listed uses which; those that are not installed are of no use to anyone. */
function link(lock: Lock, components: ReadonlyMap<string, Models.Component>): void {
  for (const [path, component] of components) {
    const { dependencies, peerDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
      addDependency(component, components.get(resolve(lock, path, name) ?? '-'));
  }
}

function addDependency(of: Models.Component, on: Models.Component | undefined): void {
  if (on) of.dependencies.add(on.bomRef);
}

/** CycloneDX 1.6 in JSON. */
export function toCycloneDx(bom: Models.Bom): string {
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return serializer.serialize(bom, { sortLists: true, space: 2 });
}

/** What CycloneDX's own schema finds wrong. @returns null: nothing */
export async function problemsOf(text: string): Promise<unknown> {
  return await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
}

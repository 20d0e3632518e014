import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from '../../typescript.js';

/**
 * Replaces declarations that kit.ts exports by imports from `namewatch`, so that `namewatch/testing` shares their
 * types. Otherwise a class with a private member would be declared twice, as two different types.
 */
export function shareKitTypes(folder: string, kitDeclarations: string): void {
  const published = join(folder, 'node_modules/namewatch');
  mkdirSync(published, { recursive: true });
  writeFileSync(join(published, 'index.d.ts'), kitDeclarations);
  writeFileSync(join(published, 'package.json'), '{"name":"namewatch","type":"module","types":"./index.d.ts"}');
  for (const [path, declared] of declarationsOf(join(folder, 'kit.d.ts')))
    writeFileSync(path, withImports(readFileSync(path, 'utf8'), declared));
}

interface Declared {
  /** Its name in the file that declares it. */
  readonly name: string;
  readonly exportedAs: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the exports of kit.ts, by the file that declares them. */
function declarationsOf(kit: string): Map<string, Declared[]> {
  const program = ts.createProgram([kit], { module: ts.ModuleKind.NodeNext, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(kit);
  const module = file && checker.getSymbolAtLocation(file);
  const found = new Map<string, Declared[]>();
  for (const exported of module ? checker.getExportsOfModule(module) : []) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    for (const declaration of symbol.declarations ?? []) {
      const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      const { fileName } = statement.getSourceFile();
      const place = { from: statement.getFullStart(), to: statement.getEnd() };
      const all = found.get(fileName) ?? [];
      found.set(fileName, [...all, { name: symbol.name, exportedAs: exported.name, ...place }]);
    }
  }
  found.delete(kit);
  return found;
}

function withImports(text: string, declared: readonly Declared[]): string {
  const fromTheEnd = declared.toSorted((one, other) => other.from - one.from);
  const kept = fromTheEnd.reduce((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
  const names = new Map(declared.map(({ name, exportedAs }) => [name, exportedAs]));
  const imports = [...names].map(([name, exportedAs]) => `import { ${exportedAs} as ${name} } from 'namewatch';`);
  return [...imports, kept, `export { ${[...names.keys()].join(', ')} };`].join('\n');
}

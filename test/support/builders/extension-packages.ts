import { jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const KIT = join(import.meta.dirname, '../../../src/kit.ts');

/** A folder in which extensions are installed, and `namewatch` as they import it; commands of this process run in it. */
export class ExtensionPackages {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'namewatch-extensions-')));

  private constructor() {
    this.write('node_modules/namewatch/package.json', '{"name":"namewatch","type":"module","exports":"./index.js"}');
    this.write('node_modules/namewatch/index.js', `export * from '${KIT}';`);
    jest.spyOn(process, 'cwd').mockReturnValue(this.folder);
  }

  static create(): ExtensionPackages {
    return new ExtensionPackages();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** A package for `import` only, as most are today, whose default export is this expression. */
  install(name: string, extension: string, version = '1.2.3'): void {
    const exports = { '.': { import: './index.js' } };
    this.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version, type: 'module', exports }));
    this.write(
      `node_modules/${name}/index.js`,
      `import { defineExtension } from 'namewatch';\nexport default ${extension};\n`,
    );
  }

  delete(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

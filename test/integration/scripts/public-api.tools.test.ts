import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareReports, writeReports } from '../../../tools/scripts/public-api/compare.js';
import { extractPublicApi } from '../../../tools/scripts/public-api/extract.js';

jest.setTimeout(180_000); // the compiler starts, on a busy machine too

const ROOT = join(import.meta.dirname, '../../..');
const CLOCK = `
/** A clock. */
export class Clock {
  private readonly offset = 0;
  now(): number { return this.offset; }
}
`;
const TESTING = `
import { Clock } from './clock.js';
import type { Stop } from './stop.js';
export type { Stop };
export function stopClock(clock: Clock): Stop { return { clock }; }
`;

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'public-api-'));
  write('package.json', '{"name":"namewatch","type":"module"}');
  write('tsconfig.json', '{"compilerOptions":{"target":"es2024","module":"nodenext","strict":true}}');
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  write('src/clock.ts', CLOCK);
  write('src/stop.ts', `import type { Clock } from './clock.js';\nexport interface Stop { readonly clock: Clock }`);
  write('src/kit.ts', `export { Clock } from './clock.js';`);
  write('src/testing.ts', TESTING);
});
afterEach(() => rmSync(project, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

describe('the public surface', () => {
  it('is reported, and an unreported change is found', () => {
    const { reports } = extractPublicApi(project);
    writeReports(project, reports);
    expect(compareReports(project, reports)).toEqual([]);

    write('src/clock.ts', CLOCK.replace('now(): number', 'now(): number | null'));
    expect(compareReports(project, extractPublicApi(project).reports)).toEqual([
      'kit.ts: -     now(): number;',
      'kit.ts: +     now(): number | null;',
    ]);
  });

  it('is refused where a signature mentions a type that is not exported', () => {
    write('src/testing.ts', TESTING.replace('export type { Stop };', ''));
    expect(() => extractPublicApi(project)).toThrow(
      'the public surface of testing.ts cannot be read\nThe symbol "Stop" needs to be exported by the entry point testing.d.ts',
    );
  });

  it('is declared once: what both entries name is one type', () => {
    const { kit, testing } = extractPublicApi(project).declarations;
    expect(kit).toContain('export declare class Clock');
    expect(testing).toContain("import { Clock } from 'namewatch'");
    expect(testing).not.toContain('class Clock');
  });
});

import { spawnSync } from 'node:child_process';

/**
 * The Python of the tests that run its receiver: PYTHON, else python3 where it runs and is new enough, else null, and
 * they are left out. With REQUIRE_PYTHON they are never left out.
 */
export function pythonForTests() {
  const program = process.env.PYTHON ?? 'python3';
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 9))';
  if (spawnSync(program, ['-c', isNewEnough], { stdio: 'ignore' }).status === 0) return program;
  if (process.env.REQUIRE_PYTHON) throw new Error('REQUIRE_PYTHON is set, but there is no python3 on PATH');
  return null;
}

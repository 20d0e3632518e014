/**
 * The part of this process's environment for programs that a test starts: where programs are found, and where Node
 * keeps compiled modules (see global-setup.mjs), which spares each start part of its work.
 */
export function ownEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE: compiled } = process.env;
  return { PATH, HOME, ...(compiled ? { NODE_COMPILE_CACHE: compiled } : {}) };
}

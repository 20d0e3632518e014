import { distance } from 'fastest-levenshtein';
import { type AddProblem, readTextFile, type Setting } from './setting-forms.js';
import { SETTINGS, type SettingValues } from './settings.js';

const ALL: readonly (readonly [field: string, setting: Setting<unknown>])[] = Object.entries(SETTINGS);

/** Reads every setting; one that is not set, or empty, has its default, as one has that is wrong. */
export function readSettings(env: NodeJS.ProcessEnv, addProblem: AddProblem): SettingValues {
  return Object.fromEntries(
    ALL.map(([field, setting]) => {
      const text = readText(setting, env, addProblem);
      return [field, text ? parse(setting, text, addProblem) : setting.default];
    }),
  ) as SettingValues;
}

/** A secret may come from the file that `NAME_FILE` names. */
function readText({ name, isSecret }: Setting<unknown>, env: NodeJS.ProcessEnv, addProblem: AddProblem) {
  const file = isSecret ? env[`${name}_FILE`] : undefined;
  if (file && env[name]) addProblem(`${name} and ${name}_FILE are both set: one of them`);
  if (env[name] || !file) return env[name];
  return readTextFile(file, (problem) => addProblem(`${name}_FILE: ${problem}`))?.trim();
}

function parse({ name, form, default: standard }: Setting<unknown>, text: string, addProblem: AddProblem): unknown {
  const value = form.parse(text.trim(), (problem) => addProblem(`${name}: ${problem}`));
  if (value !== undefined) return value;
  addProblem(`${name} must be ${form.wanted}${form.isShown ? `, not "${text}"` : ''}`);
  return standard;
}

/** Suggests a setting for an unknown name that is one or two typing errors away from it. */
export function suggestTypos(env: NodeJS.ProcessEnv): string[] {
  const knownNames = new Set(ALL.flatMap(([, { name, isSecret }]) => (isSecret ? [name, `${name}_FILE`] : [name])));
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !knownNames.has(name))
    .flatMap((name) => {
      const suggestion = findIntended(name, [...knownNames]);
      return suggestion === undefined ? [] : [`${name} is no setting; ${suggestion} is`];
    });
}

/** The nearest name that is near enough. */
function findIntended(typed: string, names: readonly string[]): string | undefined {
  return names
    .filter(({ length }) => Math.abs(length - typed.length) <= 2)
    .map((name) => ({ name, errors: countTypingErrors(name, typed) }))
    .filter(({ name, errors }) => errors <= (name.length > 8 ? 2 : 1))
    .sort((one, other) => one.errors - other.errors)[0]?.name;
}

/**
 * Letters that are missing, wrong or too many; two that changed places are one error. Other
 * programs have names so near to those of up to five letters that with these only swapped letters are an error.
 */
function countTypingErrors(name: string, typed: string): number {
  const swapped = Array.from(
    { length: name.length - 1 },
    (_, at) => `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`,
  );
  if (name.length <= 5) return swapped.includes(typed) ? 1 : Infinity;
  return Math.min(distance(name, typed), ...swapped.map((swap) => 1 + distance(swap, typed)));
}

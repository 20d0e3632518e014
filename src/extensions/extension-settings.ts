import type { Type } from '@nestjs/common';
import { inspect } from 'node:util';
import {
  type Environment,
  readSettings,
  type SettingDefinitions,
  suggestTypos,
  type ValuesOf,
} from '../config/config.js';
import type { Setting } from '../config/setting-forms.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { SETTINGS } from '../config/settings.js';

/** The key under which a settings class holds its definitions, so that the service finds them. */
const DEFINITIONS = Symbol('namewatch.settings');

/** A class that is both the injection token and the type of an extension's settings. */
export interface SettingsClass<Values extends object = object> {
  new (): Values;
  readonly [DEFINITIONS]: SettingDefinitions;
}

/**
 * Makes the base class of an extension's settings. The names of settings begin with the extension's name, such as
 * `LEDGER_URL`.
 */
export function extensionSettings<const Definitions extends SettingDefinitions>(
  definitions: Definitions,
): SettingsClass<ValuesOf<Definitions>> {
  return class {
    static readonly [DEFINITIONS] = definitions;
  } as unknown as SettingsClass<ValuesOf<Definitions>>;
}

interface Configurable {
  readonly name: string;
  readonly settings?: SettingsClass;
}

export function isSettingsClass(value: unknown): value is SettingsClass {
  return typeof value === 'function' && DEFINITIONS in value;
}

function definitionsOf({ settings }: Configurable): SettingDefinitions {
  return settings?.[DEFINITIONS] ?? {};
}

/** Returns the prefix of the extension's settings, such as `LEDGER_`. */
function toSettingPrefix(extension: string): string {
  return `${extension.toUpperCase().replaceAll('-', '_')}_`;
}

const SETTING_NAME = /^[A-Z][A-Z0-9_]{2,79}$/;

export function findSettingNameProblems(extension: Configurable, earlier: readonly Configurable[]): string[] {
  const prefix = toSettingPrefix(extension.name);
  const names = namesOf(extension);
  const taken = new Set([
    ...Object.values<Setting<unknown>>(SETTINGS).flatMap(namesOfSetting),
    ...earlier.flatMap(namesOf),
  ]);
  return names.flatMap((name, position) => {
    if (!name.startsWith(prefix) || !SETTING_NAME.test(name) || name === prefix)
      return [`the setting ${JSON.stringify(name)} of the extension ${extension.name} is not ${prefix}<WORD>`];
    if (taken.has(name) || names.indexOf(name) < position)
      return [`the setting ${name} of the extension ${extension.name} is taken already`];
    return [];
  });
}

function namesOf(extension: Configurable): string[] {
  return Object.values(definitionsOf(extension)).flatMap(namesOfSetting);
}

function namesOfSetting({ name, isSecret }: Setting<unknown>): string[] {
  return isSecret ? [name, `${name}_FILE`] : [name];
}

/** Returns all extensions' settings by settings class, and a sentence for each problem. */
export function readExtensionSettings(
  all: readonly Configurable[],
  env: Environment,
): { readonly values: ReadonlyMap<Type, object>; readonly problems: readonly string[] } {
  const prefixes = all.filter(({ settings }) => settings).map(({ name }) => toSettingPrefix(name));
  const ours = Object.entries(env).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)));
  const problems = suggestTypos(
    all.flatMap((extension) => Object.values(definitionsOf(extension))),
    Object.fromEntries(ours),
  );
  const values = all.flatMap(({ name, settings }) => {
    if (!settings) return [];
    const addProblem = (problem: string) => void problems.push(`${problem} (extension ${name})`);
    return [[settings, createSettings(settings, env, addProblem)] as const];
  });
  return { values: new Map(values), problems };
}

function createSettings(type: SettingsClass, env: Environment, addProblem: (problem: string) => void): object {
  const settings = Object.create(type.prototype as object) as object;
  return Object.freeze(Object.assign(settings, readSettings(type[DEFINITIONS], env, addProblem)));
}

/**
 * Reads settings from `texts` (by name) instead of the environment.
 * @throws InvalidConfigurationError with all problems, not only the first
 */
export function readTestSettings<Settings extends SettingsClass>(
  type: Settings,
  texts: Readonly<Record<string, string>> = {},
): InstanceType<Settings> {
  const problems: string[] = [];
  const settings = createSettings(type, texts, (problem) => problems.push(problem));
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return settings as InstanceType<Settings>;
}

/** Describes the settings of an extension for `doctor`, without the values of secrets. */
export function describeSettings(extension: Configurable, values: ReadonlyMap<Type, object>): string[] {
  const { settings } = extension;
  if (!settings) return [];
  const read = values.get(settings) as Readonly<Record<string, unknown>> | undefined;
  return Object.entries(definitionsOf(extension)).map(([field, setting]) => {
    const value = read?.[field];
    return `${setting.name}: ${describeValue(setting, value)}. ${setting.about}`;
  });
}

function describeValue({ isSecret, default: standard }: Setting<unknown>, value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  if (isSecret) return 'set, not shown';
  const text = withoutPassword(typeof value === 'string' ? value : value instanceof URL ? value.href : inspect(value));
  return value === standard ? `${text} (default)` : text;
}

/** Hides a password in a URL, since a URL may contain a password even if its setting is not secret. */
function withoutPassword(text: string): string {
  return text.replaceAll(/(?<=:\/\/)[^/@\s]*@/g, '…@');
}

import type { EntitySchema, MigrationObject } from '@mikro-orm/core';
import type { DynamicModule, Type } from '@nestjs/common';
import type { AccountAuthenticator, PlanSource, Scope } from '../auth/index.js';
import type { LookupSource } from '../domains/index.js';
import type { ChannelSender } from '../notifications/index.js';
import type { ProblemKind } from '../platform/http/errors/problem-catalogue.js';
import type { BackgroundTask } from './background-task.js';
import type { EventSubscriber } from './event-subscriber.js';
import type { SettingsClass } from './extension-settings.js';

/**
 * A package that extends Namewatch. The classes in its fields become providers of `module`, and can inject what
 * `module` provides.
 */
export interface Extension {
  /**
   * Lower-case letters, digits and hyphens. The extension's scopes, problem codes and settings begin with this name.
   */
  readonly name: string;
  /** The versions of Namewatch that the extension works with, as a semver range such as `^1.0.0`. */
  readonly compatibility: string;
  /**
   * A class that extends `extensionSettings({ … })`. The class is also the injection token of the extension's settings.
   */
  readonly settings?: SettingsClass;
  /** The module that provides the dependencies of the extension's classes. */
  readonly module?: Type | DynamicModule;
  /** Only processes with the role `api` serve these controllers. */
  readonly controllers?: readonly Type[];
  /** Links that the dashboard shows, in this order. */
  readonly links?: readonly ExtensionLink[];
  /** Sources that are asked about names in this order, before RDAP and WHOIS. */
  readonly lookupSources?: readonly Type<LookupSource>[];
  readonly channelSenders?: readonly Type<ChannelSender>[];
  /** An installation has at most one plan source. */
  readonly planSource?: Type<PlanSource>;
  /** Identify the callers of requests whose credential is not an API key. Tried in this order. */
  readonly authenticators?: readonly Type<AccountAuthenticator>[];
  /** If the extension has subscribers, no process starts without the extension: the subscribers would miss events. */
  readonly subscribers?: readonly Type<EventSubscriber>[];
  /** Work that processes repeat at an interval. */
  readonly tasks?: readonly Type<BackgroundTask>[];
  /** Data that is deleted with an account. */
  readonly accountData?: readonly Type<AccountData>[];
  /** The scopes that the extension adds, such as `<name>:read`. */
  readonly scopes?: readonly Scope[];
  /** Error responses (problems) by code. Each code begins with the extension's name, such as `<name>_closed`. */
  readonly problems?: Readonly<Record<string, ProblemKind>>;
  /**
   * Each table's name begins with `<name>_` (`_` replaces `-`), or the table is in the extension's own database schema.
   */
  readonly entities?: readonly EntitySchema[];
  /** Applied in this order, after Namewatch's migrations. A separate table records the applied migrations. */
  readonly migrations?: readonly MigrationObject[];
}

/** A route whose response the dashboard shows as plain text to people who may read it. */
export interface ExtensionLink {
  /** One line of at most 60 characters, which names what the route shows. */
  readonly label: string;
  /** The path of a GET route of the extension: `/v1/x/<name>` or below, without parameters. */
  readonly path: string;
  /** The scope that the route requires. Leave it out if the route requires none. */
  readonly scope?: Scope;
}

/** Rows of an extension that belong to an account, and are deleted with the account. */
export abstract class AccountData {
  /** The name of these rows, such as `ledger entries`. Administrators see it. */
  abstract readonly name: string;

  /** Deletes up to `limit` rows of the account in one short transaction. @returns how many; 0 if none is left */
  abstract deleteBatch(accountId: string, limit: number): Promise<number>;
}

/** Records which copy of Namewatch defined an extension. */
export const DEFINED_BY = Symbol.for('namewatch.extension');

/** Makes the default export of an extension's package. The compiler refuses unknown members. */
export function defineExtension(extension: Extension): Extension {
  return Object.freeze(Object.defineProperty({ ...extension }, DEFINED_BY, { value: import.meta.url }));
}

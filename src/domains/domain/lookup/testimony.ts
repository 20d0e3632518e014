/** The evidence that a lookup has collected about an absence (the registry has no record of the name). */
export interface Testimony {
  /** The answer of the zone above the name; null before the query. `has_it` includes names without name servers. */
  readonly zone: 'denies' | 'has_it' | 'silent' | 'off' | 'private' | null;
  /** Whether the zone had the name within 24 hours and has not denied the name since. */
  readonly zoneHadIt: boolean;
  /**
   * Whether the source still finds a name that must exist (a canary); null before the query. `found_since` means after
   * the absence, and `found_recently` within ten minutes before. `missing` means that two canaries were not found.
   * `unproven` means that no canary is known.
   */
  readonly canary: 'found_since' | 'found_recently' | 'missing' | 'unproven' | null;
  /** The registry's answer to a second query; null without a second query. */
  readonly secondAnswer: 'no_record' | 'record' | null;
  /** Whether the name was registered until now: a stored record says so, or a watch is confirming a deletion. */
  readonly isChange: boolean;
  /** Whether a watch has seen the absence for long enough, and no doubted absence in the meantime. */
  readonly hasLasted: boolean;
}

/** The sandbox's testimony. No witness is asked, because no name below `.test` is real. */
export const SIMULATED_TESTIMONY: Testimony = {
  zone: 'denies',
  zoneHadIt: false,
  canary: 'found_since',
  secondAnswer: null,
  isChange: false,
  hasLasted: false,
};

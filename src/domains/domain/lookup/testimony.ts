/** All statements that a lookup has heard about an absence (the registry has no record of the name). */
export interface Testimony {
  /** The answer of the zone above the name. `has_it`: the name is there, delegated or not. null: not asked yet. */
  readonly zone: 'denies' | 'has_it' | 'silent' | 'off' | 'private' | null;
  /** The zone had the name within the last 24 hours and has not denied it since. */
  readonly zoneHadIt: boolean;
  /**
   * Whether the source still finds another name that must exist. `found_since`: found after the absence, or since the
   * name was first absent. `found_recently`: within ten minutes before. `missing`: two such names were not found,
   * within ten minutes. `unproven`: no such name is known. null: not asked yet.
   */
  readonly canary: 'found_since' | 'found_recently' | 'missing' | 'unproven' | null;
  /** The registry's answer when it was asked a second time; null if it was not. */
  readonly secondAnswer: 'no_record' | 'record' | null;
  /** The registry's last known answer had a record, or an absence of a watched name waits to be confirmed. */
  readonly isChange: boolean;
  /** A watch saw the same long enough ago, and no doubt arose since. */
  readonly hasLasted: boolean;
}

/** The sandbox answers for all witnesses: nothing under its TLD is real. */
export const SIMULATED_TESTIMONY: Testimony = {
  zone: 'denies',
  zoneHadIt: false,
  canary: 'found_since',
  secondAnswer: null,
  isChange: false,
  hasLasted: false,
};

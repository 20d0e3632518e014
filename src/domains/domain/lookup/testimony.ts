/** The statements that a lookup hears about an absence; `judgeAbsence` judges them. */
export interface Testimony {
  /** The zone above the name. `has_it`: the name is there, delegated or not. null: not asked yet. */
  readonly zone: 'denies' | 'has_it' | 'silent' | 'off' | 'private' | null;
  /** The zone had the name within the last 24 hours, and has not denied it since. */
  readonly zoneHadIt: boolean;
  /**
   * Another name that the same source must have a record of. `found_since`: found after the absence, or since the name was
   * first seen absent. `found_recently`: within ten minutes before. `missing`: two such names were not found, within ten minutes.
   * `unproven`: no name is known to exist. null: not asked yet.
   */
  readonly canary: 'found_since' | 'found_recently' | 'missing' | 'unproven' | null;
  /** The registry, asked a second time. null: not asked. */
  readonly secondAnswer: 'no_record' | 'record' | null;
  /** The last answer of the registry that is still known had a record, or the drop of a watched name waits to be confirmed. */
  readonly isChange: boolean;
  /** A watch saw the same before, long enough ago, and no doubt since. */
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

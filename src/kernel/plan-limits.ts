/** The limits of a plan. Zero means no limit, except in the first two fields, which are minutes. */
export interface PlanLimits {
  /** The allowed values of `interval_minutes`, ascending. */
  readonly intervals: readonly number[];
  readonly default_interval: number;
  readonly entries: number;
  readonly channels: number;
  readonly requests_per_minute: number;
  /** Names in one bulk call. */
  readonly bulk: number;
  readonly history_days: number;
}

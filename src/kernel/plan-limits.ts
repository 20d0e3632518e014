/** The limits of a plan. Zero means no limit in all fields but the first two, which are minutes. */
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

export interface PlanLimits {
  readonly entries: number;
}

export interface OperatorBudget {
  readonly perSecond: number;
}

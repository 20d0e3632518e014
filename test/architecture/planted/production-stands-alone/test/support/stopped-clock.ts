export const stoppedClock = 1;

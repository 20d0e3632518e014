export class MovableClock {}

/** Makes links for messages and calendars. The links are no secret, because the dashboard requires a sign-in. */
export class DashboardLinks {
  private constructor(private readonly base: string) {}

  /** @returns null without a public URL or without a dashboard */
  static at({ publicUrl, ui }: { readonly publicUrl: string | null; readonly ui: boolean }): DashboardLinks | null {
    return publicUrl === null || !ui ? null : new DashboardLinks(`${publicUrl.replace(/\/+$/, '')}/ui`);
  }

  get watchlist(): string {
    return `${this.base}/`;
  }

  /** @param domain in ASCII */
  toName(domain: string): string {
    return `${this.base}/names/${encodeURIComponent(domain.toWellFormed())}`;
  }
}

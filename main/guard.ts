interface Navigation {
  readonly url: string
  preventDefault(): void
}

/** The part of Electron's WebContents that the guard uses. */
export interface GuardedContents {
  on(event: 'will-navigate' | 'will-redirect' | 'will-frame-navigate', listener: (event: Navigation) => void): unknown
  on(event: 'will-attach-webview', listener: (event: { preventDefault(): void }) => void): unknown
  setWindowOpenHandler(handler: (details: { url: string }) => { action: 'deny' }): void
}

/** The part of Electron's Session that the guard uses. */
export interface GuardedSession {
  setPermissionRequestHandler(
    handler: (contents: unknown, permission: string, answer: (granted: boolean) => void, details: PageOf) => void,
  ): void
  setPermissionCheckHandler(handler: (contents: unknown, permission: string, origin: string) => boolean): void
  setDevicePermissionHandler(handler: () => boolean): void
}

interface PageOf {
  readonly requestingUrl: string
}

export interface GuardDeps {
  app: { on(event: 'web-contents-created', listener: (event: unknown, contents: GuardedContents) => void): unknown }
  session: GuardedSession
  /** Returns the server's origin; null until the server is ready. */
  ownOrigin(): string | null
  openInBrowser(url: string): void
}

/**
 * Lets windows show only the server's pages, and lets those pages use no permission but copying
 * text. Links to other https pages open in the browser.
 */
export function setupGuard({ app, session, ownOrigin, openInBrowser }: GuardDeps): void {
  const isOwn = (url: string) => ownOrigin() !== null && originOf(url) === ownOrigin()
  const isAllowed = (permission: string, url: string) => permission === 'clipboard-sanitized-write' && isOwn(url)

  app.on('web-contents-created', (_event, contents) => {
    const stayHome = (event: Navigation) => {
      if (!isOwn(event.url)) event.preventDefault()
    }
    contents.on('will-navigate', stayHome)
    contents.on('will-redirect', stayHome)
    contents.on('will-frame-navigate', stayHome)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(({ url }) => {
      if (originOf(url)?.startsWith('https://')) openInBrowser(url)
      return { action: 'deny' }
    })
  })

  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(isAllowed(permission, details.requestingUrl)),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => isAllowed(permission, origin))
  session.setDevicePermissionHandler(() => false)
}

/** Returns the origin of a URL; null: not a URL, or one without an origin (`data:`, `about:`). */
export function originOf(url: string): string | null {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null'
  return origin === 'null' ? null : origin
}

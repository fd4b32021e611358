import type { AttentionItem } from '../server/contract/process-messages.ts'

/** The part of Electron's Notification that is used. */
export interface ShellNotification {
  show(): void
  on(event: 'click' | 'close', listener: () => void): unknown
}

export interface NoticesDeps {
  createNotification(content: { title: string; body: string }): ShellNotification
  openPage(page: string): void
}

/** Notifications of the system; a click opens the page that mends the matter. */
export function setupNotices({ createNotification, openPage }: NoticesDeps) {
  // A notification that nobody holds is collected, and its click is lost.
  const shown = new Set<ShellNotification>()
  let told = new Set<string>()

  function tell(content: { title: string; body: string }, page = '/'): void {
    const notification = createNotification(content)
    shown.add(notification)
    notification.on('close', () => shown.delete(notification))
    notification.on('click', () => {
      shown.delete(notification)
      openPage(page)
    })
    notification.show()
  }

  return {
    tell,
    /** Shows what is new in the list; what left the list is shown again when it comes back. */
    tellNew(items: readonly AttentionItem[]): void {
      for (const item of items) if (!told.has(item.id)) tell(item, item.page)
      told = new Set(items.map((item) => item.id))
    },
  }
}

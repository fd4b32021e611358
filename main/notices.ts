import type { AttentionItem } from '../server/contract/desktop.ts'

/** The part of Electron's Notification that is used. */
export interface ShellNotification {
  show(): void
  on(event: 'click' | 'close', listener: () => void): unknown
}

export interface NoticesDeps {
  createNotification(content: { title: string; body: string }): ShellNotification
  openPage(page: string): void
}

/** Notifications of the system; a click opens the page where the owner can act. */
export function setupNotices({ createNotification, openPage }: NoticesDeps) {
  // Referenced until they close: Electron loses the click of one that was garbage-collected.
  const open = new Set<ShellNotification>()
  let shownIds = new Set<string>()

  function show(content: { title: string; body: string }, page = '/'): void {
    const notification = createNotification(content)
    open.add(notification)
    notification.on('close', () => open.delete(notification))
    notification.on('click', () => {
      open.delete(notification)
      openPage(page)
    })
    notification.show()
  }

  return {
    show,
    /** Shows what is new in the list; what left the list is shown again when it comes back. */
    showNew(items: readonly AttentionItem[]): void {
      for (const item of items) if (!shownIds.has(item.id)) show(item, item.page)
      shownIds = new Set(items.map((item) => item.id))
    },
  }
}

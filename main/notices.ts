import type { AttentionItem } from '../server/contract/desktop.ts'

/** The part of Electron's Notification that notices use. */
export interface ShellNotification {
  show(): void
  on(event: 'click' | 'close', listener: () => void): unknown
}

export interface NoticesDeps {
  createNotification(content: { title: string; body: string }): ShellNotification
  openPage(page: string): void
}

/** Shows notifications of the system; a click opens the page where the owner can act. */
export function setupNotices({ createNotification, openPage }: NoticesDeps) {
  // Keep a reference to each open notification, because Electron loses the click of a notification
  // that was garbage-collected.
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
    /** Shows the items that are new in the list; an item that left the list is new again. */
    showNew(items: readonly AttentionItem[]): void {
      for (const item of items) if (!shownIds.has(item.id)) show(item, item.page)
      shownIds = new Set(items.map((item) => item.id))
    },
  }
}

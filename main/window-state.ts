import type { Rectangle } from 'electron'
import type { WindowState } from './memory.ts'

const DEFAULT_SIZE = { width: 1200, height: 800 }
/** Least part of the title bar that must be on a screen, in px, so that a mouse can drag it. */
const GRIP = { width: 120, height: 40 }

/**
 * Returns the place of the window: its last place, unless that is not on a screen (a screen was
 * unplugged, or the resolution fell).
 * @param workAreas of all screens, in px
 */
export function placeWindow(remembered: WindowState | undefined, workAreas: readonly Rectangle[]): Partial<Rectangle> {
  if (!remembered) return DEFAULT_SIZE
  const { bounds } = remembered
  const area = workAreas.find((candidate) => holdsTitleBar(candidate, bounds))
  if (!area) return DEFAULT_SIZE
  return { ...bounds, width: Math.min(bounds.width, area.width), height: Math.min(bounds.height, area.height) }
}

function holdsTitleBar(area: Rectangle, bounds: Rectangle): boolean {
  const visibleWidth = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x)
  const topIsInside = bounds.y >= area.y && bounds.y <= area.y + area.height - GRIP.height
  return visibleWidth >= GRIP.width && topIsInside
}

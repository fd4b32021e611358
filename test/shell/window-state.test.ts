import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMemory } from '../../main/memory.ts'
import { placeWindow } from '../../main/window-state.ts'
import { temporaryFolder } from './support/shell.ts'

const laptop = { x: 0, y: 0, width: 1366, height: 728 }
const monitor = { x: 1366, y: 0, width: 2560, height: 1400 }
const remembered = (bounds: { x: number; y: number; width: number; height: number }) => ({ bounds, maximized: false })
const DEFAULT = { width: 1200, height: 800 }

describe('the place of the window', () => {
  test("is the system's choice the first time", () => {
    expect(placeWindow(undefined, [laptop])).toEqual(DEFAULT)
  })

  test('is where it was', () => {
    const bounds = { x: 1500, y: 100, width: 1000, height: 700 }
    expect(placeWindow(remembered(bounds), [laptop, monitor])).toEqual(bounds)
  })

  test.each([
    ['its screen was unplugged', { x: 1500, y: 100, width: 1000, height: 700 }],
    ['its title bar is above the screen', { x: 100, y: -50, width: 1000, height: 700 }],
    ['only a sliver of it is on the screen', { x: 1300, y: 100, width: 1000, height: 700 }],
    ['it is below the screen', { x: 100, y: 720, width: 1000, height: 700 }],
  ])('is chosen again when %s', (_why, bounds) => {
    expect(placeWindow(remembered(bounds), [laptop])).toEqual(DEFAULT)
  })

  test('does not outgrow a screen that became smaller', () => {
    const place = placeWindow(remembered({ x: 0, y: 0, width: 2500, height: 1300 }), [laptop])
    expect(place).toEqual({ x: 0, y: 0, width: 1366, height: 728 })
  })
})

describe("the shell's memory", () => {
  test.each(['', '{', '[]', '{"window":{"bounds":{"x":"1"}}}', '{"shownNotices":["unknown"]}'])(
    'counts %j as empty',
    (text) => {
      const file = join(temporaryFolder(), 'shell.json')
      writeFileSync(file, text)
      expect(createMemory(file).window()).toBeUndefined()
    },
  )

  test('a disk that takes nothing stops neither the start nor the closing of the window', () => {
    const file = join(temporaryFolder(), 'a-file')
    writeFileSync(file, '')
    const memory = createMemory(join(file, 'shell.json'))
    const window = remembered({ x: 1, y: 2, width: 800, height: 600 })
    memory.rememberWindow(window)
    expect(memory.window()).toEqual(window)
  })

  test('keeps what it had when another thing is added', () => {
    const file = join(mkdtempSync(join(temporaryFolder(), 'new-')), 'folder', 'shell.json')
    const window = remembered({ x: 1, y: 2, width: 800, height: 600 })
    const memory = createMemory(file)
    memory.rememberWindow(window)
    const shown: string[] = []
    memory.once('tray', () => shown.push('first'))
    createMemory(file).once('tray', () => shown.push('second'))
    expect(createMemory(file).window()).toEqual(window)
    expect(shown).toEqual(['first'])
  })
})

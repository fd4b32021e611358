import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'

const file = (...path: string[]) => readFileSync(join(import.meta.dirname, '..', '..', ...path))
const states = ['normal', 'attention', 'paused']

describe('the sign near the clock', () => {
  test.each(states.flatMap((state) => [state, `${state}Template`]))('%s comes in both densities', (name) => {
    expect(PNG.sync.read(file('main', 'icons', `${name}.png`))).toMatchObject({ width: 16, height: 16 })
    expect(PNG.sync.read(file('main', 'icons', `${name}@2x.png`))).toMatchObject({ width: 32, height: 32 })
  })

  test('differs in each state', () => {
    for (const ending of ['', 'Template']) {
      const pictures = states.map((state) => file('main', 'icons', `${state}${ending}.png`).toString('base64'))
      expect(new Set(pictures).size).toBe(3)
    }
  })

  test('is black with transparency on macOS, which reads nothing but the alpha channel', () => {
    for (const state of states) {
      const { data } = PNG.sync.read(file('main', 'icons', `${state}Template@2x.png`))
      const coloured = Array.from({ length: 32 * 32 }, (_, i) => data.subarray(i * 4, i * 4 + 4)).filter(
        ([red, green, blue, alpha]) => alpha !== 0 && (red !== 0 || green !== 0 || blue !== 0),
      )
      expect(coloured).toEqual([])
    }
  })
})

test('the Windows icon holds all sizes, each a readable picture', () => {
  const icon = file('assets', 'icon.ico')
  const sizes = Array.from({ length: icon.readUInt16LE(4) }, (_, i) => {
    const entry = 6 + 16 * i
    const start = icon.readUInt32LE(entry + 12)
    return PNG.sync.read(icon.subarray(start, start + icon.readUInt32LE(entry + 8))).width
  })
  expect(sizes).toEqual([16, 24, 32, 48, 64, 128, 256])
})

test('the macOS icon holds all sizes and ends where it says', () => {
  const icon = file('assets', 'icon.icns')
  expect(icon.toString('ascii', 0, 4)).toBe('icns')
  expect(icon.readUInt32BE(4)).toBe(icon.length)
  const sizes: number[] = []
  for (let at = 8; at < icon.length; at += icon.readUInt32BE(at + 4)) {
    sizes.push(PNG.sync.read(icon.subarray(at + 8, at + icon.readUInt32BE(at + 4))).width)
  }
  expect(sizes).toEqual([128, 256, 512, 32, 64, 256, 512, 1024])
})

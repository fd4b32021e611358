/**
 * Kurir's mark: a letter that leans forward, with two speed lines. Drawn on a grid of 32 with few
 * straight lines, so that it stays legible at 16 px.
 */
const LETTER = 'M12.2 9 H27.6 L24.8 23 H9.4 Z'
const FLAP = 'M13.6 10.9 L18.2 17 L25.6 10.9'
const SPEED = 'M3.4 13.4 H8 M2.4 18.6 H6.9'

const INK = '#2a5199'
const GREY = '#7a7d87'

export type TrayState = 'normal' | 'attention' | 'paused'

/** Returns the mark in one colour, with the flap in another. */
function glyph(colour: string, flap: string): string {
  return `<g stroke-linejoin="round" stroke-linecap="round" fill="none">
    <path d="${LETTER}" fill="${colour}" stroke="${colour}" stroke-width="2.4"/>
    <path d="${FLAP}" stroke="${flap}" stroke-width="2"/>
    <path d="${SPEED}" stroke="${colour}" stroke-width="2.4"/>
  </g>`
}

function svg(content: string, viewBox = '0 0 32 32'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${content}</svg>\n`
}

/**
 * Returns the mark on its tile, for apps and pages.
 * @param margin space around the tile, on the grid of 32
 */
export function appIcon(margin = 0): string {
  const viewBox = `${-margin} ${-margin} ${32 + 2 * margin} ${32 + 2 * margin}`
  return svg(
    `<rect width="32" height="32" rx="7.2" fill="${INK}"/><g transform="translate(1.9 1.6) scale(.9)">${glyph('#fff', INK)}</g>`,
    viewBox,
  )
}

/**
 * Returns the tray icon for Windows and Linux. Their bars may be light or dark, so it has a
 * background of its own.
 */
export function trayIcon(state: TrayState): string {
  const ground = state === 'paused' ? GREY : INK
  const tile = `<rect width="32" height="32" rx="7" fill="${ground}"/>`
  return svg(tile + glyph('#fff', ground) + badge(state, { ring: '#fff', dot: '#d92c2c', bars: GREY }))
}

/**
 * Returns the tray icon for macOS, which uses the alpha channel alone and picks the colour itself.
 */
export function trayTemplate(state: TrayState): string {
  const cut = `<mask id="m"><rect width="32" height="32" fill="#fff"/><g stroke-linejoin="round" fill="none">
    <path d="${FLAP}" stroke="#000" stroke-width="2.2"/></g>${state === 'normal' ? '' : '<circle cx="25" cy="24" r="8.4" fill="#000"/>'}</mask>`
  return svg(`${cut}<g mask="url(#m)">${glyph('#000', 'none')}</g>${badge(state, { dot: '#000', bars: '#000' })}`)
}

function badge(state: TrayState, colours: { ring?: string; dot: string; bars: string }): string {
  const ring = colours.ring ? `<circle cx="25" cy="25" r="7.6" fill="${colours.ring}"/>` : ''
  if (state === 'attention') return `${ring}<circle cx="25" cy="25" r="5.6" fill="${colours.dot}"/>`
  if (state === 'paused') {
    return `${ring}<path d="M22.8 21.6 V28.4 M27.2 21.6 V28.4" stroke="${colours.bars}" stroke-width="2.6" stroke-linecap="round"/>`
  }
  return ''
}

// Draws all icons (`npm run icons`); the results are committed. Needs a Chromium, by default
// /usr/bin/chromium; CHROMIUM names another one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { icns, ico, type Png } from './icons/containers.ts'
import { appIcon, type TrayState, trayIcon, trayTemplate } from './icons/drawing.ts'

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
})
const page = await browser.newPage()

save('renderer/public/mark.svg', appIcon())
save('assets/icon.svg', appIcon())

for (const size of [16, 32, 48, 64, 128, 256, 512]) save(`assets/icons/${size}x${size}.png`, await png(appIcon(), size))
save('main/icons/app.png', await png(appIcon(), 256))
save('assets/icon.ico', ico(await pngs(appIcon(), [16, 24, 32, 48, 64, 128, 256])))
// Apple's icon grid leaves a tenth of the width free on each side.
save('assets/icon.icns', icns(await pngs(appIcon(4), [32, 64, 128, 256, 512, 1024])))

for (const state of ['normal', 'attention', 'paused'] satisfies TrayState[]) {
  save(`main/icons/${state}.png`, await png(trayIcon(state), 16))
  save(`main/icons/${state}@2x.png`, await png(trayIcon(state), 32))
  save(`main/icons/${state}Template.png`, await png(trayTemplate(state), 16))
  save(`main/icons/${state}Template@2x.png`, await png(trayTemplate(state), 32))
}
await browser.close()

async function pngs(svg: string, sizes: readonly number[]): Promise<Png[]> {
  const images: Png[] = []
  for (const size of sizes) images.push({ size, data: await png(svg, size) })
  return images
}

async function png(svg: string, size: number): Promise<Buffer> {
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>html,body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`)
  return page.screenshot({ omitBackground: true })
}

function save(path: string, content: string | Buffer): void {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

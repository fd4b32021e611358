// Takes the screenshots of the docs: npm run screenshots. Needs a Chromium, by default
// /usr/bin/chromium; CHROMIUM names another one. `npm run screenshots -- --check` takes them twice
// instead and fails if any bytes differ.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takePictures } from './screenshots/pictures.ts'

const images = join(import.meta.dirname, '../docs/images')

const pictures = await takePictures()
if (process.argv.includes('--check')) {
  const again = await takePictures()
  const differ = pictures.filter(({ name, png }) => again.find((one) => one.name === name)?.png.equals(png) !== true)
  console.log(
    differ.length === 0
      ? `${pictures.length} pictures, the same bytes twice.`
      : `These differ from one time to the next: ${differ.map(({ name }) => name).join(', ')}.`,
  )
  process.exitCode = differ.length === 0 ? 0 : 1
} else {
  for (const { name, png } of pictures) writeFileSync(join(images, `${name}.png`), png)
}

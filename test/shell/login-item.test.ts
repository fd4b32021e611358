import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setupLoginItem } from '../../main/login-item.ts'
import { FakeApp } from './support/electron.ts'
import { temporaryFolder } from './support/shell.ts'

test.each(['win32', 'darwin'] as const)("%s: is the system's own login item", (platform) => {
  const app = new FakeApp(temporaryFolder())
  const item = setupLoginItem({
    app,
    platform,
    command: { path: '/app/kurir', args: ['--hidden'] },
    configFolder: app.userData,
  })
  expect(item.get()).toEqual({ enabled: false })
  expect(item.set(true)).toEqual({ enabled: true })
  expect(item.set(false)).toEqual({ enabled: false })
})

test('Linux: is a file that the desktops read, with odd characters quoted', () => {
  const configFolder = temporaryFolder()
  const item = setupLoginItem({
    app: new FakeApp(configFolder),
    platform: 'linux',
    command: { path: '/home/ibu "Sri"/100%/Kurir.AppImage', args: ['--hidden'] },
    configFolder,
  })
  expect(item.get()).toEqual({ enabled: false })
  expect(item.set(true)).toEqual({ enabled: true })

  const file = join(configFolder, 'autostart', 'kurir.desktop')
  expect(readFileSync(file, 'utf8').split('\n')).toEqual([
    '[Desktop Entry]',
    'Type=Application',
    'Name=Kurir',
    'Exec="/home/ibu \\"Sri\\"/100%%/Kurir.AppImage" "--hidden"',
    'Terminal=false',
    '',
  ])

  expect(item.set(false)).toEqual({ enabled: false })
  expect(item.set(false)).toEqual({ enabled: false })
  expect(existsSync(file)).toBe(false)
})

test('Linux: a start after an update, which gives an AppImage another name, leads there', () => {
  const configFolder = temporaryFolder()
  const setUp = (path: string) =>
    setupLoginItem({
      app: new FakeApp(configFolder),
      platform: 'linux',
      command: { path, args: ['--hidden'] },
      configFolder,
    })
  const file = join(configFolder, 'autostart', 'kurir.desktop')
  setUp('/home/sri/Kurir-1.0.0.AppImage')
  expect(existsSync(file)).toBe(false)
  setUp('/home/sri/Kurir-1.0.0.AppImage').set(true)
  appendFileSync(file, 'X-GNOME-Autostart-Delay=10\n')

  expect(setUp('/home/sri/Kurir-1.1.0.AppImage').get()).toEqual({ enabled: true })
  expect(readFileSync(file, 'utf8').split('\n').slice(3)).toEqual([
    'Exec="/home/sri/Kurir-1.1.0.AppImage" "--hidden"',
    'Terminal=false',
    'X-GNOME-Autostart-Delay=10',
    '',
  ])
})

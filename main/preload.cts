// CommonJS, because Electron does not load a sandboxed preload script as a module.
import type { BridgeCall, DesktopBridge } from '../server/contract/desktop.ts'

const { contextBridge, ipcRenderer } = require('electron') as typeof import('electron')

const ask = (call: BridgeCall, argument?: unknown) => ipcRenderer.invoke(call, argument)

const bridge: DesktopBridge = {
  platform: process.platform,
  // Passed by window.ts: a sandboxed preload script cannot ask for it.
  version: process.argv.find((argument) => argument.startsWith('--kurir-version='))?.split('=')[1] ?? '',
  getLoginItem: () => ask('login-item:get'),
  setLoginItem: (enabled) => ask('login-item:set', enabled),
  getUpdate: () => ask('update:get'),
  checkForUpdate: () => ask('update:check'),
  installUpdate: () => ask('update:install'),
  confirmPasskey: (options) => ask('passkey:confirm', options),
}

contextBridge.exposeInMainWorld('kurirDesktop', bridge)

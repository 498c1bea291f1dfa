import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import forge from 'node-forge'

interface KeyPair {
  /** PEM. */
  cert: string
  key: string
}

interface Authority extends KeyPair {
  issue: (commonName: string) => KeyPair
}

const dayMs = 86_400_000
let serial = 0

/** A certificate authority of a test. */
export const makeAuthority = (commonName: string): Authority => {
  const own = forge.pki.rsa.generateKeyPair(2048)
  const sign = (name: string, keys: forge.pki.rsa.KeyPair, extensions: object[]): string => {
    const cert = forge.pki.createCertificate()
    cert.publicKey = keys.publicKey
    cert.serialNumber = String(++serial).padStart(2, '0')
    cert.validity.notBefore = new Date(Date.now() - dayMs)
    cert.validity.notAfter = new Date(Date.now() + dayMs)
    cert.setSubject([{ name: 'commonName', value: name }])
    cert.setIssuer([{ name: 'commonName', value: commonName }])
    cert.setExtensions(extensions)
    cert.sign(own.privateKey, forge.md.sha256.create())
    return forge.pki.certificateToPem(cert)
  }
  const keyOf = ({ privateKey }: forge.pki.rsa.KeyPair) => forge.pki.privateKeyToPem(privateKey)
  return {
    cert: sign(commonName, own, [{ name: 'basicConstraints', cA: true, critical: true }]),
    key: keyOf(own),
    issue: (name) => {
      const keys = forge.pki.rsa.generateKeyPair(2048)
      return {
        cert: sign(name, keys, [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }]),
        key: keyOf(keys),
      }
    },
  }
}

/** Files below a folder of their own; `remove` deletes it. */
export const writeFiles = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-certificates-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return {
    pathOf: (name: string) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

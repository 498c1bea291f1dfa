import { createHash, createPrivateKey, type KeyObject, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignPdf } from '@signpdf/signpdf'
import { Signer } from '@signpdf/utils'
import { Integer, Null, ObjectIdentifier, OctetString, UTCTime } from 'asn1js'
import forge from 'node-forge'
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  MessageImprint,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
} from 'pkijs'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../log.ts'

/** Seals a PDF with the certificate of the laboratory: any reader then shows a changed byte. */
export interface ReportSeal {
  /** The PDF must have the place for a seal, see `addSealPlace`. */
  seal: (pdf: Buffer, at: Date) => Promise<Buffer>
  subject: string
  validTo: Date
  /** What an administrator should know about the certificate; null if nothing. */
  warning: (now?: Date) => string | null
}

const warnDays = 30
const demoDays = 365
const dayMs = 86_400_000
const stampMs = 5000

const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  timeStamp: '1.2.840.113549.1.9.16.2.14',
  sha256: '2.16.840.1.101.3.4.2.1',
}

/** The certificate of `REPORT_CERT`; the demo makes one and says so in its subject. Null where none is set. */
export const openReportSeal = async (config: Config, log: Pick<Log, 'warn'>): Promise<ReportSeal | null> => {
  const found = config.REPORT_CERT
    ? readCertificate(config.REPORT_CERT, config.REPORT_CERT_PASSWORD ?? '')
    : config.demo
      ? demoCertificate(config.dataDir)
      : null
  return found && sealOf(found, config.REPORT_TSA_URL, log)
}

interface Identity {
  /** The laboratory's own certificate first. */
  chain: X509Certificate[]
  key: KeyObject
}

const readCertificate = (file: string, password: string): Identity => {
  const fault = (why: string) => new ConfigError(`The settings are not right:\n  - REPORT_CERT: ${why}`)
  if (!existsSync(file)) throw fault(`there is no file ${file}`)
  let parts: { certs: X509Certificate[]; keys: KeyObject[] }
  try {
    parts = openPkcs12(readFileSync(file), password)
  } catch (error) {
    throw fault(`cannot be opened with REPORT_CERT_PASSWORD (${(error as Error).message})`)
  }
  const [key] = parts.keys
  if (!key) throw fault('holds no key')
  const own = parts.certs.find((cert) => cert.checkPrivateKey(key))
  if (!own) throw fault('holds no certificate for its key')
  return { chain: [own, ...parts.certs.filter((cert) => cert !== own)], key }
}

const openPkcs12 = (bytes: Buffer, password: string) => {
  const p12 = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(bytes.toString('binary')), password)
  const bagsOf = (type: string) => {
    const bagType = forge.pki.oids[type] as string
    return p12.getBags({ bagType })[bagType] ?? []
  }
  const derOf = (value: forge.asn1.Asn1) => Buffer.from(forge.asn1.toDer(value).getBytes(), 'binary')
  const certs = bagsOf('certBag').map(
    ({ cert, asn1 }) => new X509Certificate(derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1)),
  )
  const keys = [...bagsOf('pkcs8ShroudedKeyBag'), ...bagsOf('keyBag')].map(({ key, asn1 }) => {
    const info = key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key)) : asn1
    return createPrivateKey({ key: derOf(info), format: 'der', type: 'pkcs8' })
  })
  return { certs, keys }
}

/** Kept in the data folder, so that the files of a demo have one certificate. */
const demoCertificate = (dataDir: string): Identity => {
  const file = join(dataDir, 'demo-report-certificate.pem')
  const identityOf = (pem: string): Identity => ({ chain: [new X509Certificate(pem)], key: createPrivateKey(pem) })
  const known = existsSync(file) ? identityOf(readFileSync(file, 'utf8')) : null
  if (known?.chain[0] && validTo(known.chain[0]) > new Date()) return known
  const made = makeDemoCertificate()
  writeFileSync(file, made, { mode: 0o600 })
  return identityOf(made)
}

const makeDemoCertificate = (): string => {
  const keys = forge.pki.rsa.generateKeyPair(2048)
  const cert = forge.pki.createCertificate()
  cert.publicKey = keys.publicKey
  cert.serialNumber = `01${createHash('sha256').update(String(Date.now())).digest('hex').slice(0, 16)}`
  cert.validity.notBefore = new Date(Date.now() - 3_600_000)
  cert.validity.notAfter = new Date(Date.now() + demoDays * dayMs)
  const name = [{ name: 'commonName', value: 'Demonstration laboratory, not a real certificate' }]
  cert.setSubject(name)
  cert.setIssuer(name)
  cert.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, nonRepudiation: true },
  ])
  cert.sign(keys.privateKey, forge.md.sha256.create())
  return `${forge.pki.certificateToPem(cert)}${forge.pki.privateKeyToPem(keys.privateKey)}`
}

const validTo = (cert: X509Certificate) => new Date(cert.validTo)

const sealOf = async (identity: Identity, tsaUrl: string | undefined, log: Pick<Log, 'warn'>): Promise<ReportSeal> => {
  const [own] = identity.chain as [X509Certificate, ...X509Certificate[]]
  const subject = /^CN=(.*)$/m.exec(own.subject)?.[1] ?? 'unnamed'
  const signer = new CmsSigner(identity, await importKey(identity.key), tsaUrl, log)
  const what = `The certificate that seals reports (${subject})`
  return {
    seal: (pdf, at) => new SignPdf().sign(pdf, signer, at),
    subject,
    validTo: validTo(own),
    warning: (now = new Date()) => {
      const day = validTo(own).toISOString().slice(0, 10)
      if (validTo(own) < now) return `${what} expired on ${day}`
      if (new Date(own.validFrom) > now) return `${what} is not valid yet`
      return validTo(own).getTime() - now.getTime() <= warnDays * dayMs ? `${what} expires on ${day}` : null
    },
  }
}

const importKey = (key: KeyObject): Promise<webcrypto.CryptoKey> => {
  const der = key.export({ type: 'pkcs8', format: 'der' })
  const curve = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }[
    key.asymmetricKeyDetails?.namedCurve ?? ''
  ]
  const algorithm = curve ? { name: 'ECDSA', namedCurve: curve } : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

/** A detached CMS signature (adbe.pkcs7.detached) with SHA-256, and a time stamp where there is an authority for it. */
class CmsSigner extends Signer {
  readonly #chain: Certificate[]
  readonly #key: webcrypto.CryptoKey
  readonly #tsaUrl: string | undefined
  readonly #log: Pick<Log, 'warn'>
  constructor({ chain }: Identity, key: webcrypto.CryptoKey, tsaUrl: string | undefined, log: Pick<Log, 'warn'>) {
    super()
    this.#chain = chain.map(({ raw }) => Certificate.fromBER(raw))
    this.#key = key
    this.#tsaUrl = tsaUrl
    this.#log = log
  }

  override async sign(pdf: Buffer, at: Date = new Date()): Promise<Buffer> {
    const [own] = this.#chain as [Certificate, ...Certificate[]]
    const attribute = (type: string, value: object) => new Attribute({ type, values: [value] })
    const signerInfo = new SignerInfo({
      version: 1,
      sid: new IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
      signedAttrs: new SignedAndUnsignedAttributes({
        type: 0,
        attributes: [
          attribute(oids.contentType, new ObjectIdentifier({ value: oids.data })),
          attribute(oids.signingTime, new UTCTime({ valueDate: at })),
          attribute(oids.messageDigest, new OctetString({ valueHex: sha256(pdf) })),
        ],
      }),
    })
    const cms = new SignedData({
      version: 1,
      encapContentInfo: new EncapsulatedContentInfo({ eContentType: oids.data }),
      signerInfos: [signerInfo],
      certificates: this.#chain,
    })
    await cms.sign(this.#key, 0, 'SHA-256', new Uint8Array(pdf).buffer)
    const token = this.#tsaUrl && (await this.#timeStamp(this.#tsaUrl, signerInfo.signature.valueBlock.valueHexView))
    if (token)
      signerInfo.unsignedAttrs = new SignedAndUnsignedAttributes({
        type: 1,
        attributes: [attribute(oids.timeStamp, token.toSchema())],
      })
    const info = new ContentInfo({ contentType: oids.signedData, content: cms.toSchema(true) })
    return Buffer.from(info.toSchema().toBER(false))
  }

  /** A report does not wait for an unavailable authority: its seal then has no time stamp. */
  async #timeStamp(url: string, signature: Uint8Array): Promise<ContentInfo | null> {
    try {
      return await requestTimeStamp(url, signature)
    } catch (error) {
      this.#log.warn({ err: error }, 'A report was sealed without a time stamp')
      return null
    }
  }
}

const sha256 = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(createHash('sha256').update(bytes).digest()).buffer

const requestTimeStamp = async (url: string, signature: Uint8Array): Promise<ContentInfo> => {
  const hashAlgorithm = new AlgorithmIdentifier({ algorithmId: oids.sha256, algorithmParams: new Null() })
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm,
      hashedMessage: new OctetString({ valueHex: sha256(signature) }),
    }),
    nonce: new Integer({ value: Date.now() % 2 ** 31 }),
    certReq: true,
  })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query' },
    body: request.toSchema().toBER(false),
    signal: AbortSignal.timeout(stampMs),
  })
  if (!response.ok) throw new Error(`the time stamp authority answered ${response.status}`)
  const { status, timeStampToken } = TimeStampResp.fromBER(await response.arrayBuffer())
  if (status.status > 1 || !timeStampToken) throw new Error(`the time stamp authority refused (${status.status})`)
  return timeStampToken
}

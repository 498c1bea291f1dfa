import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { demoPassword } from './accounts.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { storeSession } from './stored-session.ts'

type Session = Parameters<typeof storeSession>[1]

interface Message {
  id: number
  channel: string
  to: string
  body: string
}

/** Everything that was sent, newest first. */
export const outbox = async (request: APIRequestContext): Promise<Message[]> =>
  (await request.get('/demo/outbox.json')).json()

/** The newest message to this address that matches; waits until it has come. */
export const messageTo = async (request: APIRequestContext, to: string, pattern: RegExp): Promise<string> => {
  let found: string | undefined
  await expect(async () => {
    found = (await outbox(request)).find((message) => message.to.includes(to) && pattern.test(message.body))?.body
    expect(found, `a message to ${to}`).toBeDefined()
  }).toPass({ timeout: 60_000 })
  return found as string
}

const askPool = async (request: APIRequestContext, operation: string, body: object) => {
  const response = await request.post('/idp', {
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    },
    data: JSON.stringify({ ClientId: 'lis-web', ...body }),
  })
  return response.json()
}

const demoSessions = new Map<string, { session: Session; openedAt: number }>()
/**
 * A token lasts 15 minutes. The first page that has to renew it uses up the refresh token, and when another page sends that once more, the
 * user pool takes it for stolen and ends the session: so it is replaced long before.
 */
const longestUseMs = 8 * 60_000

/**
 * Signs in without a page. A demo account keeps its session for the later journeys of the same worker, for some minutes and until one of
 * them ends it; a person with a password of their own gets a new session at each call.
 */
export const sessionOf = async (
  request: APIRequestContext,
  userName: string,
  password = demoPassword,
): Promise<Session> => {
  if (password !== demoPassword) return openSession(request, userName, password)
  const known = demoSessions.get(userName)
  const isFresh = known && Date.now() - known.openedAt < longestUseMs
  if (isFresh && (await isOpen(request, known.session))) return known.session
  const session = await openSession(request, userName, password)
  demoSessions.set(userName, { session, openedAt: Date.now() })
  return session
}

const isOpen = async (request: APIRequestContext, session: Session) =>
  (await request.get('/api/v3.0/mfa/profile/sessions', { headers: bearer(session) })).ok()

const openSession = (request: APIRequestContext, userName: string, password: string): Promise<Session> =>
  oneAtATime('sign-in', async () => {
    const before = (await outbox(request))[0]?.id ?? 0
    const step = await askPool(request, 'InitiateAuth', {
      AuthFlow: 'USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: userName, PASSWORD: password },
    })
    let code: string | undefined
    await expect(async () => {
      const sent = (await outbox(request)).find(({ id, body }) => id > before && /authentication code is/.test(body))
      code = sent?.body.match(/\b\d{6}\b/)?.[0]
      expect(code).toBeDefined()
    }).toPass({ timeout: 60_000 })
    const { AuthenticationResult: tokens } = await askPool(request, 'RespondToAuthChallenge', {
      ChallengeName: 'SMS_MFA',
      Session: step.Session,
      ChallengeResponses: { USERNAME: userName, SMS_MFA_CODE: code },
    })
    const opened = await request.post('/api/v3.0/mfa/login', { data: { accessToken: tokens.AccessToken } })
    const identity = { accessToken: tokens.AccessToken, idToken: tokens.IdToken, refreshToken: tokens.RefreshToken }
    return { ...(await opened.json()).data, identity }
  })

export const bearer = (session: Session) => ({ authorization: `Bearer ${session.token}` })

/** Opens the page with this session. */
export const openAs = async (page: Page, session: Session, path: string) => {
  // Any address of the product will do to reach its storage; this one is the quickest to load.
  if (page.url() === 'about:blank') await page.goto('/healthz')
  await storeSession(page, session)
  await page.goto(path)
}

export interface Person {
  id: number
  userName: string
  password: string
  phone: string
  email: string
}

let serial = 0
export const uniqueName = () => `p${Date.now().toString(36)}${process.pid}${serial++}`
const uniquePhone = () =>
  `1${String(Date.now()).slice(-7)}${String(process.pid + serial++)
    .slice(-3)
    .padStart(3, '0')}`

export const managementSession = (request: APIRequestContext) => sessionOf(request, 'management')

/** A new account, created by management; no other journey uses it. */
export const newPerson = async (
  request: APIRequestContext,
  userRoleCode = 'MGMT',
  entityId: number | null = null,
): Promise<Person> => {
  const userName = uniqueName()
  const person = { userName, password: 'Own-Password-2026!', phone: uniquePhone(), email: `${userName}@example.com` }
  const made = await request.post('/api/v3.0/mfa/users', {
    headers: bearer(await managementSession(request)),
    data: {
      userName,
      userFirstName: 'Ada',
      userLastName: 'Okonjo',
      userEmail: person.email,
      userPhone: person.phone,
      userRoleCode,
      deptIds: [1],
      isSubscribed: 1,
      entityId,
    },
  })
  const { data, message } = await made.json()
  expect(message).toBe('Successfully created')
  const invitation = await messageTo(request, person.email, /Temporary password/)
  const { Session } = await askPool(request, 'InitiateAuth', {
    AuthFlow: 'USER_PASSWORD_AUTH',
    AuthParameters: { USERNAME: userName, PASSWORD: temporaryPassword(invitation) },
  })
  // The new password is answered with a code, which nobody may take for theirs.
  await oneAtATime('sign-in', async () => {
    await askPool(request, 'RespondToAuthChallenge', {
      ChallengeName: 'NEW_PASSWORD_REQUIRED',
      Session,
      ChallengeResponses: { USERNAME: userName, NEW_PASSWORD: person.password },
    })
    await messageTo(request, person.phone, /authentication code/)
  })
  return { ...person, id: data.id }
}

export const temporaryPassword = (invitation: string) => /Temporary password: (\S+)/.exec(invitation)?.[1] ?? ''

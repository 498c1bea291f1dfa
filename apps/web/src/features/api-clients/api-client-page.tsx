import { type ApiClient, apiClientRoutes, apiClientLabels as label } from '@lis/contract/api-clients.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { ConfirmButton } from '../../domain/confirm-button.tsx'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { apiClientChange, keyFields } from './api-client-fields.ts'
import { apiClientName, apiClients, ClientSecret, Expiry, type NewApiClient } from './api-clients.tsx'
import { ClientState } from './client-state.tsx'

export const ApiClientShowPage = () => (
  <ResourceShowPage resource={apiClients} titleOf={apiClientName}>
    {(client) => (
      <CardGrid>
        <AboutCard client={client} />
        <div>
          <SignInCard client={client} />
        </div>
      </CardGrid>
    )}
  </ResourceShowPage>
)

const AboutCard = ({ client }: { client: ApiClient }) => (
  <Card title="About">
    <InfoList
      items={[
        [label.name, client.name],
        [label.clientId, <strong key="id">{client.clientId}</strong>],
        [label.userRoleCode, client.userRoleDesc],
        [label.entityName, client.entityName],
        [label.scopes, <Scopes key="scopes" scopes={client.scopes} />],
        [label.expiryDate, <Expiry key="expiry" date={client.expiryDate} />],
        [label.lastUsedDate, client.lastUsedDate ? <Timestamp key="used" at={client.lastUsedDate} /> : 'Never'],
        ['Created', client.createDate && <Timestamp key="created" at={client.createDate} />],
      ]}
    />
  </Card>
)

const Scopes = ({ scopes }: { scopes: readonly string[] }) => (
  <ul style={{ margin: 0, padding: 0, listStyle: 'none' }}>
    {scopes.map((scope) => (
      <li key={scope}>{scope}</li>
    ))}
  </ul>
)

const signInMethod = ({ useSecret, jwksUrl }: ApiClient) =>
  useSecret === 1 ? 'A secret' : jwksUrl === null ? 'Keys of its own' : 'Keys at an address of its own'

const SignInCard = ({ client }: { client: ApiClient }) => {
  const isRevoked = client.state === 'REVOKED'
  return (
    <Card
      title="Sign-in"
      actions={
        !isRevoked && (
          <>
            {client.useSecret === 1 ? <RotateSecret client={client} /> : <ReplaceKeys client={client} />}
            <Revoke client={client} />
          </>
        )
      }
    >
      <InfoList
        items={[
          [label.state, <ClientState key="state" state={client.state} />],
          ['Signs in with', signInMethod(client)],
          ...(client.jwks ? [[label.jwks, client.jwks.keys.map(({ kid }) => kid).join(', ')] as const] : []),
          ...(client.jwksUrl === null ? [] : [[label.jwksUrl, client.jwksUrl] as const]),
        ]}
      />
    </Card>
  )
}

const RotateSecret = ({ client }: { client: ApiClient }) => {
  const rotate = useSave(apiClientRoutes.rotateSecret)
  const [made, setMade] = useState<NewApiClient>()
  return (
    <>
      <ConfirmButton
        label="New secret"
        title="Make a new secret?"
        subject={client.name}
        onConfirm={async () => setMade((await rotate({ params: { id: client.id } })).data)}
      >
        The old secret and every token end at once.
      </ConfirmButton>
      {made && <ClientSecret made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

const Revoke = ({ client }: { client: ApiClient }) => {
  const revoke = useSave(apiClientRoutes.revoke)
  return (
    <ConfirmButton
      label="Revoke"
      color="error"
      title="Revoke this API client?"
      subject={client.name}
      onConfirm={() => revoke({ params: { id: client.id } })}
    >
      Its tokens end at once, and it cannot be used again.
    </ConfirmButton>
  )
}

/** Several keys are valid at a time: a new one is added, and later the old one left out. */
const ReplaceKeys = ({ client }: { client: ApiClient }) => {
  const [isOpen, setOpen] = useState(false)
  const update = useSave(apiClientRoutes.update)
  const { id, version, jwks, jwksUrl } = client
  return (
    <>
      <Button onClick={() => setOpen(true)}>Replace keys</Button>
      {isOpen && (
        <FormDialog
          title="Replace keys"
          subject={client.name}
          submitLabel="Save"
          schema={apiClientChange}
          fields={keyFields}
          values={{ jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2), jwksUrl }}
          version={version}
          onSubmit={(body, seen) => update({ params: { id }, body, headers: ifMatch(seen.version) })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

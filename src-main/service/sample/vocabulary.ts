/** What the sample traffic is made of. Changing a list changes the texts of existing sample records. */
export const ORIGINS = ['web', 'api', 'ios', 'android'] as const;
export const CHANNEL_WEIGHTS = [28, 22, 18, 14, 11, 7] as const;
export const SERVICE_WEIGHTS = [21, 17, 15, 13, 11, 9, 10, 4] as const;

/** Typical time of each service in milliseconds, service 1 first. */
export const SERVICE_TIMES_MS = [85, 140, 210, 95, 320, 180, 260, 60] as const;

export const CLIENT_FIRST_NAMES = [
  'Alba',
  'Bruno',
  'Carmen',
  'Daniel',
  'Elena',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kira',
  'Liam',
  'Marta',
  'Noor',
  'Oscar',
  'Priya',
  'Quentin',
  'Rosa',
  'Samuel',
  'Tove',
] as const;

export const CLIENT_LAST_NAMES = [
  'Andrade',
  'Becker',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fernandes',
  'Garcia',
  'Haddad',
  'Ivanova',
  'Jensen',
  'Kovacs',
  'Lopez',
  'Moretti',
  'Novak',
  'Okafor',
  'Petrov',
] as const;

export const MESSAGES = [
  'Hello, I need help with my order',
  'Where is my parcel?',
  'I want to change my delivery address',
  'Can I speak to a person?',
  'What are your opening hours?',
  'My payment was declined',
  'I would like to cancel my booking',
  'Please send me the invoice again',
  'The link in the message does not open',
  'Thanks, that is all',
  'Yes',
  'No, the other one',
  'How long does the refund take?',
  'I forgot my password',
] as const;

export const LOCALES = ['en-GB', 'en-US', 'es-ES', 'fr-FR', 'de-DE', 'pt-PT'] as const;

export const ACTION_NAMES = [
  'find-customer',
  'read-order',
  'check-stock',
  'create-ticket',
  'send-notice',
  'read-balance',
] as const;

/** Error texts by response code; `{service}` and `{channel}` are filled in. */
export const ERROR_TEXTS: Readonly<Record<number, readonly string[]>> = {
  400: ['Bad request: field "text" is empty', 'Bad request: attachment type is not supported'],
  401: ['Unauthorized: the key of channel {channel} was refused'],
  404: ['Not found: conversation has been closed', 'Not found: service {service} knows no such resource'],
  408: ['Request timeout: message was not read within 5000 ms'],
  422: ['Unprocessable message: template 4.2 of service {service} has no field "greeting"'],
  429: ['Too many requests: limit of service {service} reached, try again in 30 s'],
  500: [
    'Internal error in service {service}: object reference is not set',
    'Internal error: could not map the message of channel {channel}',
  ],
  502: [
    'Bad gateway: service {service} closed the connection',
    'Bad gateway: unreadable answer of service {service}',
  ],
  503: ['Service unavailable: connector is not reachable', 'Service unavailable: no free worker'],
  504: ['Gateway timeout: service {service} did not answer within 10000 ms'],
};

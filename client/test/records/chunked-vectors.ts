/*
 * The published test vectors of C2SP chunked-encryption with AES-256-GCM and SHA-512, in hexadecimal; `(n)` means n
 * zero bytes. Source: C2SP Wycheproof, c2sp_chunked_encryption_aes_256_gcm_test.
 */

/** The input key of most test vectors. */
export const KEY = '59454c4c4f57205355424d4152494e452059454c4c4f57205355424d4152494e';

/** Test vectors that must be decrypted. */
export const VALID = [
  {
    tcId: 1,
    what: 'empty message',
    context: '',
    sealed:
      '43a2e39431cbae0389d3fc86adf46f7c3a24de88d9311617e53f3164cc1d5dc738a66b97f0bf786565c31799c2f463d50a7e10046011dc6fc3c939e3a5db7affb6191551669554fb',
    messageLength: 0,
    messageSha512:
      'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
  },
  {
    tcId: 2,
    what: 'short message, single chunk',
    context: '',
    sealed:
      'a1a1b56f6db58cd1ede0c5c9db62aef20d3f96a6c594bb9252bb38122de91236502b42a1d7fcab820ffa292940d2f86add212cfa42c38df19d3cc9139ee61a5990d3db57433514229beea49a8a72bd',
    messageLength: 7,
    messageSha512:
      'e85f32a85f1d4f7c9b2d36d20eca8435d81253e7075e9dea069eb1b6da48daf92ef1797367b520d8a46c4f72cecb85b1daff8887fcb41721d39943d1952fc180',
  },
  {
    tcId: 3,
    what: 'full chunk followed by short chunk',
    context: '',
    sealed:
      'b9eca7d48b49c76acc0a10833699035db2160b30af69f8844cc09e21ccb4f537032c8fbf2392e57a192821e903fcd16e8508884f64f8c4b2(16384)0d3065f8fbdbb7864988647a1f996f74002d3c1b8479b72d9039922affeee6e704',
    messageLength: 16385,
    messageSha512:
      'db9e441f318209d02c8eaedfa94be7a08d3414057835c80ecea2deb0b16438ff97ae6dac13a749efe4a24686b01dc0dfab756703e810cc164466cd5cce99b3e8',
  },
  {
    tcId: 4,
    what: 'two full chunks followed by empty terminating chunk',
    context: '',
    sealed:
      'b2951ea0e09eacf749ea937e3ad22b82d35e92fa629cc049a8cf5a191b9fcc23878f8697487932504ced9ea90fbb9165846b9354d0b1198c(16384)9376ac03ceb9cd50ef0f08748e46bce3(16384)e7de8bc36e035b8f28b08284e9f79d3d6cecb100232a7657e1b584627c037345',
    messageLength: 32768,
    messageSha512:
      'ccf53be90b5c9bc1aad1fb9b37e86fd60ca86a41401051e636c41e8ddc61b574d6767d16f035f18391c21ff24d1fa5171c5a537685e7197532884845bf7e990b',
  },
  {
    tcId: 5,
    what: 'two full chunks followed by short chunk',
    context: '',
    sealed:
      '6dd65653dca17c1f1151489fe76e5360b121a4f8ad9c14536f68a61e93bf0331d443362896633f23e0c8f87911478b2033ecfa5ac1872695(16384)9e4f0a1ef06e71ebeb889e28ce2a8f4e(16384)14656a8a0d45b93b433d442f7fef3609001a67c62f82f46275d9578745285a7f6d',
    messageLength: 32769,
    messageSha512:
      '365a0363626fc42718c9fb3507b9e06a4c64971cc7d93e6c0d2058f8ab3bd38151ba6948896655fc6f2b39b27f7f5df52c67fc6d5a44f0f188f018c576646c4b',
  },
  {
    tcId: 6,
    what: 'full chunk followed by empty terminating chunk',
    context: '',
    sealed:
      'aa61a95ab04aa5eac4ecd9e83ef47f88dd07fdc07e38b6c9d77ec3c07801fc40bec0e07020a0d36d3e6e6354833c21301d52a32cffe087df(16384)31454358e7e1032d5bb622de82a8bf9b3dca8e38cc0b8942d7eb1f5ef9a56d7b',
    messageLength: 16384,
    messageSha512:
      'd787e0bf39e0d2e9a707b94bc77329f665286160744507f0fac9608e33a98994b6d9dd4a43a6326287d32b2e15d76e0de6a8818689698bee2ca419bf9bbedc02',
  },
  {
    tcId: 9,
    what: 'short message with non-empty context string',
    context: '7465737420636f6e74657874',
    sealed:
      'dbedaefc1c35dc6c0f22b743b03e488747166a51f33479e7ceb8b7e11cc0d2710f624a127501bc4aea7d0af6f83cfe359b9e69415aa537f36adf86eb35b070475baa039bb7791432adbca49578bbd3',
    messageLength: 7,
    messageSha512:
      'e85f32a85f1d4f7c9b2d36d20eca8435d81253e7075e9dea069eb1b6da48daf92ef1797367b520d8a46c4f72cecb85b1daff8887fcb41721d39943d1952fc180',
  },
  {
    tcId: 10,
    what: 'short message with context containing a null byte',
    context: '7465737400636f6e74657874',
    sealed:
      '12ede102c3ef730da4f3d4dbfaf11003683238315befe73b21ebb2246ac19f3a7d50abd2a5a365f7652bda670814dbc883ce618256d2d513bd238c2c0dded7614d52bef77bc04273656df97a294323',
    messageLength: 7,
    messageSha512:
      'e85f32a85f1d4f7c9b2d36d20eca8435d81253e7075e9dea069eb1b6da48daf92ef1797367b520d8a46c4f72cecb85b1daff8887fcb41721d39943d1952fc180',
  },
];

/**
 * Test vectors of about 4 MiB each that must be decrypted. The ciphertext is all zero bytes except for tags and the
 * `head` (salt and commitment), so the message is the keystream under `aeadKey`. `sealedSha512` is the hash of the
 * published ciphertext.
 */
export const LONG = [
  {
    tcId: 7,
    what: '256 full chunks plus short chunk, tests counter rollover past 0xFF',
    context: '',
    aeadKey: 'ceb777780ef93b867fe7f897f27d231b1ad947df743cc145396046c1112c70dd',
    baseNonce: '5d9a49f1d4760e8febc4e5d2',
    head: '0fe5e738e883030b20df96cb867c44805dd40cd6a70e5a21ef5a8e7fbcc153258d7ad8e133a457d89e378363b89a48af8ea481ef7342105a',
    messageLength: 4194305,
    messageSha512:
      '95bafd82060396802f1aa96d1f7c151c459f5467417fc22bc96350ad8960033f859758b02c870451bd46935b04fdccb521af4c11988e4e9b6a5b488b26d60b02',
    sealedSha512:
      'db867df8b5c7158806881b752a5d76d46e6beee7c6040f29402ee4b83417036e27bad47ad4a1f4e7f687dab49d2384abaedb5d969044efed3fcf6c0e28c2eaad',
  },
  {
    tcId: 8,
    what: '257 full chunks plus short chunk, tests counter rollover past 0xFF',
    context: '',
    aeadKey: '68ca6db61fc058b1a7503cbfa934e40081c083c7c4b70439fb41485bed34747b',
    baseNonce: '61f096bbd2d842c1ae879526',
    head: '7cea3f5e32f30820f433a52ab1d20b4aefb457e956e5c77ccd94f4ec7a63bd63fdb41c4d55bb0e7f07260a3617893f0c400e88a6fa7e7581',
    messageLength: 4210689,
    messageSha512:
      '6deb89efa0929d0cd12afc2bd38e56cb68bf10eefd4e3edfe0f36d3401e6a26bf893b2f2197634147525e4502d24fd072999516a35705ce197a5442d1fba4868',
    sealedSha512:
      '205cf6979622a0f239ee46b0fc93f94493f0337826e027ee61eb30ca59b43db7674012a7d67ff2b2e587b7290a2e271bedbda6f767147d621a2aeb2e95e278f8',
  },
];

/** Test vectors that must be refused. */
export const INVALID = [
  {
    tcId: 11,
    what: 'single chunk with flipped ciphertext bit',
    key: KEY,
    context: '',
    sealed:
      '0093274a932cb4340ca678d500719d80ccc21f69c49586a8cae519f1ae94a13a97038610177fe840ac755f6604849272444b0de559508a2a00538b8dd8cc3a83e14df1343fa14630a2',
  },
  {
    tcId: 12,
    what: 'full chunk followed by corrupted short chunk',
    key: KEY,
    context: '',
    sealed:
      '653737bfef6f30edd07f2f1a9711e8b8bbf5d3056a2d36bdaa1debf3c2b749052ffc447807d6f986a34b1593c86cc9c03d5dcb1960bbadbe(16384)b348ebfa86ef0a47e2f6f6877e8339f500f6e5fea246f391d0c53fcb809ab925ba',
  },
  {
    tcId: 13,
    what: 'two full chunks with empty terminator, second chunk corrupted',
    key: KEY,
    context: '',
    sealed:
      '8ad42792c04146e58f7893e366ec11bf21f9363c3f6404d6b9e76610d6b463b826b9d98df62700227fa0cb03e46f24771729492442f12924(16384)f0890e5ed0560bee5579f03760be4bbd(16384)e0d8e8888dd7b61a102672f9377f6cb33a40180392ea589ec9432152f1b9b52e',
  },
  {
    tcId: 14,
    what: 'full chunk followed by empty terminating chunk with corrupted tag',
    key: KEY,
    context: '',
    sealed:
      '00e6de0e8d5c0ab3900a489bd965cd5f643b5117c2cf416be6c900ec1b7f9383c95ab4354171a00e82fbd680f1bc72c0cf15624dd809b8ca(16384)4e734c0ff5c63c9d4f1b5b7073909cc8498f93e51dc3cb76319f8de9e6af2eca',
  },
  {
    tcId: 15,
    what: 'corrupted first chunk followed by valid short chunk',
    key: KEY,
    context: '',
    sealed:
      '85af23d50d60daed601edfe063aaa8971c0c4abee2bef4880ddb49adadb045dc24dca29c9e0ff6f8c54c74c875a6e34f004953069ed41bb4(16384)1e990d490a485cc1a2a7290471d1805b0000aa10637f9732d5ae31fc07f1751774',
  },
  {
    tcId: 16,
    what: 'single chunk truncated to remove authentication tag',
    key: KEY,
    context: '',
    sealed:
      '2842319b678e0b222150bc2cb8a4cc5c4704c293a215a9702107b9b385fa1a62072a478a944b1bfb5b349f78cd32e0c4502e84213f8e9d1f00',
  },
  {
    tcId: 17,
    what: 'payload shorter than one authentication tag',
    key: KEY,
    context: '',
    sealed:
      '679551dfcc4221c2c5f3dfcff2f94fcd7df0dc5d0dac8ceb294cda58ffffbe199532a141b16102b69550faa5e1315a3c823e58b9e3141839e1fd278b80a7dabc12eaa4ed',
  },
  {
    tcId: 18,
    what: 'valid chunk followed by 20 trailing bytes',
    key: KEY,
    context: '',
    sealed:
      '91b10d0df0341f85f4230579bda56c93094bb06f33504c82b9e3df02c8b150f4e6f974bf48eb44909fc0f303da99c4505e8880872d01c8aa(16384)fff3a5f671c5766bf303d6e1d37197dbcd64b954d5c38c5518ad5b22c52c4e363feef35d',
  },
  {
    tcId: 19,
    what: 'valid chunk followed by 12 trailing bytes',
    key: KEY,
    context: '',
    sealed:
      'a60c35d4934f903b55493111dfaeea40e0470acbdba024a2a6de1264681d66583f11bc93aedf484f62d427661922363337e7b1d3c97d8c33(16384)e113294134061f1377f1a2f7cfc0d63d5be2abeaa0933379e1eeb8df',
  },
  {
    tcId: 20,
    what: 'header only, no encrypted chunks',
    key: KEY,
    context: '',
    sealed:
      'e728f14e89526f8830991f461c0fd07601a246a0c94b753ba4fab29386d9e39e72d5e8955f709651b6dedb825c64c984364f74e1b6ac93d6',
  },
  {
    tcId: 21,
    what: 'valid ciphertext with wrong commitment',
    key: KEY,
    context: '',
    sealed:
      'a7bf214ab87afe86ae30940aba6d25aa92d1c26a7c4de03ece1f5f63bd31ca5d9517ce97effb9ce62c4f01433335d070ca3de6243f4cb67a00a4deb622c6b80140d1c88f54ade32fdc',
  },
  {
    tcId: 22,
    what: 'valid ciphertext decrypted with wrong key',
    key: '4f52414e4745205355424d4152494e45204f52414e4745205355424d4152494e',
    context: '',
    sealed:
      'abeb3f4f4a3ea1f1f76bc25808b37063d4cb21425ca6a8b16271ed22f6a3f51ec7e7fa4dcef196179d3c77b5b42103766ae1975bae6ae0690079aa245e53811c13d45a553b0365b499',
  },
  {
    tcId: 23,
    what: 'valid ciphertext encrypted with too-short key',
    key: '4f52414e4745205355424d4152494e45204f52414e4745205355424d415249',
    context: '',
    sealed:
      '6ef808c1cd9f44167ca6def93900220263151ac63993ec688bd665a34ce4ef6ddcdef700c0a0d03f2cf4e9a9223e5beb44cf2b8648a517d800395459ad30bf0be4ebdf76177cab6b63',
  },
  {
    tcId: 24,
    what: 'valid ciphertext encrypted with too-long key',
    key: '4f52414e4745205355424d4152494e45204f52414e4745205355424d4152494e45',
    context: '',
    sealed:
      'a8216cfec9382688e31855498b1926ee6d34fa36b0923ab847f28096ca9cb85541317e5996a82aa8eb0aac8cdfdce37dbb44e2000c169b4a003a3e67f79899f915d167b39ea1d8cd1d',
  },
  {
    tcId: 25,
    what: 'valid ciphertext decrypted with wrong context',
    key: KEY,
    context: '77726f6e6720636f6e74657874',
    sealed:
      '36201844cafc0e596bec8782c560b7b1d065b90a94d227007f07a7185f0c1f449310232a0ff1d5667ece42aff4e7c0359df78ece43b312d50034c80236b5c7900f7eebe540d242b8eb',
  },
  {
    tcId: 26,
    what: 'valid ciphertext with corrupted salt',
    key: KEY,
    context: '',
    sealed:
      '7c510aa191fdb799b3715106fb9da30a3e314a08a12bf1eed6084369ad9560c21c856d0087e1206c5c1e9a994b3ca98542e0fe1ffef9e23c0091398606b7077f679901eea490bb8f6b',
  },
  {
    tcId: 27,
    what: 'zero-length ciphertext, too short for header',
    key: KEY,
    context: '',
    sealed: '',
  },
  {
    tcId: 28,
    what: 'only salt, no commitment',
    key: KEY,
    context: '',
    sealed: '6f8cd259c00e57e2df4db3ca991e5180a9d412808d193e27',
  },
  {
    tcId: 29,
    what: 'salt and partial commitment (40 of 56 header bytes)',
    key: KEY,
    context: '',
    sealed: 'df71824d15ef9daa3746604934140e7dd6a5d106456d0fc11da28937b7080787da7a9be382a6dd6a',
  },
  {
    tcId: 30,
    what: 'too short to contain even the salt',
    key: KEY,
    context: '',
    sealed: '97c26a73b35657e3abfe',
  },
  {
    tcId: 31,
    what: 'full chunk without terminating empty chunk',
    key: KEY,
    context: '',
    sealed:
      'e27b019a1bfeb83adcaeb375754730ec315786523f831a1fa27d91b9fb79626946a172a0844bd3ccf2d7ebddb9b4d8565f24210e5dfc5ebf(16384)37eb36fa792ba195e1ebf12338688d8c',
  },
  {
    tcId: 32,
    what: 'full chunk followed by second chunk truncated mid-body',
    key: KEY,
    context: '',
    sealed:
      'cab629f3cc458e52d6229006c4cabc5b51085e967eb4de00370d345b495251e13f4b8d68b6d5ec69b8da9c78b4bb68491827fa309d96930f(16384)0df563fe5e2fad814c720daa1f175037(8208)',
  },
  {
    tcId: 33,
    what: 'two full chunks plus short final chunk, chunks 0 and 1 swapped',
    key: KEY,
    context: '',
    sealed:
      '7d6a1dd319cebce4f60b9ffee89c4f75eef8a764325aac7c76fb0cb8b88cbaa1b7b8309ea798cbd81927d2fd8afa9e62c2ae361e982a37b2(16384)7cc26016fc19cc46cc1d5be9f660e336(16384)9688953684cb8c7ff9f047b449bf301b00f0f3b9f61d94e666bb6787e54caca1e4',
  },
  {
    tcId: 34,
    what: 'chunk 0 duplicated in place of chunk 1, followed by short final chunk',
    key: KEY,
    context: '',
    sealed:
      '62b31eab0b81a9ab59c8c606b55c0320fb17704741540884ea84870b7bcc32b22197e0a5092186922f9390c200404453ed67212221f59d46(16384)30cd9db7554a531e981b565f75237ca8(16384)30cd9db7554a531e981b565f75237ca800db8adf633cf89b81ced1977738dbeb3e',
  },
  {
    tcId: 35,
    what: 'valid full chunk and short final chunk followed by extra encrypted chunk',
    key: KEY,
    context: '',
    sealed:
      '519c3f8c2a3853a258ed1c0fb13b12194625ada3e286de26d884cdba7e26a4313966d62b8a20be090bf906e16aed16a301689c71ea52e78d(16384)5ab16cffec7dd116088699bd909279cc00a569cac3d4bf9e99d5497a10296c187200c85a3efad404b60bebc6b0528f374156',
  },
];
